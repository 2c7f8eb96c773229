export { BookingModule } from './booking/booking.module.js';
export { LeadsModule } from './leads/leads.module.js';
export { NomineesModule } from './nominees/nominees.module.js';
export { PersonalDetailsModule } from './personal-details/personal-details.module.js';
export { ProfileModule } from './profile/profile.module.js';
