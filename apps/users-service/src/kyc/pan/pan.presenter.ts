import { maskPan, type PanVerificationPayload } from '@fd/contracts';
import type { VerifiedIdentity } from './identity.js';

export function presentVerification(identity: VerifiedIdentity): PanVerificationPayload {
  return {
    is_pan_verified: true,
    verification_id: identity.verificationId,
    pan: maskPan(identity.pan),
    pan_status: identity.panStatus,
    full_name: identity.fullName,
    first_name: identity.firstName,
    middle_name: identity.middleName,
    last_name: identity.lastName,
    father_name: identity.fatherName,
    // an identity is kept only when the registry has confirmed the date
    dob_match: true,
    aadhaar_seeding_status: identity.aadhaarSeedingStatus,
    verified_at: identity.verifiedAt.toISOString(),
  };
}
