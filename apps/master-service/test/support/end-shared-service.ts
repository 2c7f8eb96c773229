import { endSharedService } from './master-app.js';

// of the whole Jest file, so after the last of its specs
afterAll(endSharedService);
