import { ConsentErrors, GeneralErrors, PanErrors } from '@fd/errors';

/** Refusals with which a check may end. */
export const CHECK_REFUSALS = [
  PanErrors.registryUnavailable,
  PanErrors.notFound,
  PanErrors.notValid,
  PanErrors.birthDateDiffers,
  PanErrors.belongsToAnotherUser,
  ConsentErrors.withdrawn,
] as const;

/** Refusals before a check begins. */
export const EARLY_REFUSALS = [PanErrors.anotherPanVerified, PanErrors.tooManyLookups] as const;

/** Every refusal that a verification may count: also of a PAN released meanwhile, and of too many parallel calls. */
export const COUNTED_REFUSALS = [
  ...CHECK_REFUSALS,
  ...EARLY_REFUSALS,
  GeneralErrors.recordUnknown,
  GeneralErrors.tooManyRequests,
] as const;

export const OUTCOME_WORDS = ['verified', 'repeated', 'pending', 'defect'] as const;
