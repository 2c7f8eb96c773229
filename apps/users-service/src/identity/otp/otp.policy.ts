/**
 * A code lives 10 minutes (the longest that NIST SP 800-63B allows). While it lives a resend repeats it, since
 * short messages overtake each other. Five tries a code and 50 a day keep the chance of a guess at one phone
 * below 1 in 20,000 a day.
 */
export const OTP_POLICY = {
  lifeSeconds: 600,
  /** In this last part of its life a code is not sent again: a resend makes a new one. */
  renewSeconds: 120,
  maxSends: 5,
  sendWindowSeconds: 900,
  maxSendsPerDay: 20,
  /** Wrong checks that end one code. */
  maxTries: 5,
  /** Wrong checks within an hour that pause all checks. */
  maxWrongPerHour: 15,
  pauseSeconds: 1_800,
  /** Wrong checks within a day that stop all checks until the oldest of them is a day old. */
  maxWrongPerDay: 50,
};

/**
 * Mails that one user may cause within 24 hours, over all addresses. It prevents floods of a mailbox: another 50 mails need
 * another phone. It also makes guessing useless: 50 codes with 5 tries each are 1 chance in 4,000 a day to verify some
 * stranger's address. A success returns no mails, because users could lift the limit with their own mailbox.
 */
export const MAX_MAILS_PER_DAY = 50;
