import { ApplicationReadiness } from './booking/application-readiness.entity.js';
import { ConfirmationTry } from './confirmation/confirmation-try.entity.js';
import { DataExport } from './data-export/data-export.entity.js';
import { LeadRow } from './leads/lead.entity.js';
import { NomineeWaiver } from './nominees/nominee-waiver.entity.js';
import { NomineeRow } from './nominees/nominee.entity.js';
import { AcceptedDeclaration } from './personal-details/accepted-declaration.entity.js';
import { PersonalDetails } from './personal-details/personal-details.entity.js';
import { ErasedUser } from './support/erased-user.entity.js';

export const APPLICATION_ENTITIES = [
  ApplicationReadiness,
  ConfirmationTry,
  AcceptedDeclaration,
  DataExport,
  ErasedUser,
  LeadRow,
  NomineeRow,
  NomineeWaiver,
  PersonalDetails,
];
