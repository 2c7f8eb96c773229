/**
 * A code is valid for 10 minutes, the maximum of NIST SP 800-63B. A resend repeats a valid code, because short messages
 * may overtake each other. Five tries for a code and 50 a day keep the chance of guessing one phone's code below 1 in
 * 20,000 a day.
 */
export const OTP_POLICY = {
  lifeSeconds: 600,
  /** Before its end a code is no longer repeated: a resend creates a new one. */
  renewSeconds: 120,
  maxSends: 5,
  sendWindowSeconds: 900,
  maxSendsPerDay: 20,
  /** Wrong checks that invalidate a code. */
  maxTries: 5,
  /** Wrong checks within an hour that pause all checks. */
  maxWrongPerHour: 15,
  pauseSeconds: 1_800,
  /** Wrong checks within a day that block all checks until the oldest is a day old. */
  maxWrongPerDay: 50,
};

/**
 * Mails that one user may cause within 24 hours, over all addresses. It prevents floods of a mailbox: another 50 mails
 * need another phone. It also makes guessing useless: 50 codes with 5 tries each are 1 chance in 4,000 a day to verify
 * some stranger's address. A success returns no mails, because users could lift the limit with their own mailbox.
 */
export const MAX_MAILS_PER_DAY = 50;

/** Details of the refusal of a wrong code: after the last try only a new code helps. */
export const wrongTry = (triesLeft: number) => ({
  params: { triesLeft },
  ...(triesLeft === 0 && { hint: 'Ask for a new code.' }),
});
