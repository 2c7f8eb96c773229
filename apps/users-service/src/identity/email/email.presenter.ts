import { type EmailOtpPayload, maskEmail, type VerifiedEmailPayload } from '@fd/contracts';
import type { CodeValidity, IssuedCode } from '../otp/otp.service.js';
import { OTP_POLICY } from '../otp/otp.policy.js';

export function presentSentCode(email: string, issued: IssuedCode): EmailOtpPayload {
  const { attemptsUsed, attemptsLeft } = issued;
  return { ...presentValidity(email, issued), attemptsUsed, attemptsLeft };
}

export function presentVerifiedEmail(email: string, validity: CodeValidity): VerifiedEmailPayload {
  // a success starts the counts anew
  const budget = { attemptsUsed: 0, attemptsLeft: OTP_POLICY.maxSends };
  return { ...presentValidity(email, validity), ...budget, is_email_verified: true };
}

function presentValidity(email: string, { validFrom, expiresAt }: CodeValidity) {
  return { email: maskEmail(email), startTime: validFrom.toISOString(), endTime: expiresAt.toISOString() };
}
