/** What one-time codes of one channel may cost and how long they live. All times in seconds. */
export interface OtpPolicy {
  readonly lifeSeconds: number;
  /** Within this last part of its life a code is not sent again: a resend makes a new one. */
  readonly renewSeconds: number;
  readonly maxSends: number;
  readonly sendWindowSeconds: number;
  readonly maxSendsPerDay: number;
  /** Wrong checks that end one code. */
  readonly maxTries: number;
  /** Wrong checks within an hour that pause all checks, and for how long. */
  readonly maxWrongPerHour: number;
  readonly pauseSeconds: number;
  /** Wrong checks within a day that stop all checks until the oldest of them is a day old. */
  readonly maxWrongPerDay: number;
}

/**
 * A code lives 10 minutes (the longest that NIST SP 800-63B allows). While it lives a resend repeats it, since
 * short messages overtake each other. Five tries a code and 50 a day keep the chance of a guess at one phone
 * below 1 in 20,000 a day.
 */
export const OTP_POLICY: OtpPolicy = {
  lifeSeconds: 600,
  renewSeconds: 120,
  maxSends: 5,
  sendWindowSeconds: 900,
  maxSendsPerDay: 20,
  maxTries: 5,
  maxWrongPerHour: 15,
  pauseSeconds: 1_800,
  maxWrongPerDay: 50,
};

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;
