import { maskEmail, maskPan, maskPhone, type NomineeView } from '@fd/contracts';
import { isMinor, type Nominee } from './nominee.js';

/** @param today YYYY-MM-DD in India */
export function presentNominee({ id, person, ...placement }: Nominee, today: string): NomineeView {
  const { name, relationship, dob, email, phone, pan, address, guardian } = person;
  return {
    nominee_id: id,
    name,
    relationship,
    dob,
    is_minor: dob === null ? null : isMinor(dob, today),
    email: email && maskEmail(email),
    phone: phone && maskPhone(phone),
    pan: pan && maskPan(pan),
    has_address: address !== null,
    share_percentage: placement.share / 100,
    nomination_type: placement.type,
    priority: placement.priority,
    guardian: guardian && { ...guardian },
  };
}
