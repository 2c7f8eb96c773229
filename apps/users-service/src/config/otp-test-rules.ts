import type { z } from 'zod';

/** What happens to the code of certain phones or email addresses, so that tests and demonstrations need no inbox. Never in production. */
export interface OtpTestRule {
  readonly recipients: RegExp;
  /** The code that is always sent. */
  readonly code?: string;
  /** Seconds for which the code is valid; 0: dead on arrival. */
  readonly ttlSeconds?: number;
}

const RULE = /^(?<pattern>[^=]+)=(?:code:(?<code>[0-9]{6})|ttl:(?<ttl>[0-9]{1,4}))$/;

/** Reads `pattern=code:123456;pattern=ttl:0`: the patterns are regular expressions over the whole phone or address. */
export function parseTestRules(text: string, context: z.RefinementCtx): OtpTestRule[] {
  return text
    .split(';')
    .filter((part) => part !== '')
    .map((part) => {
      const groups = RULE.exec(part)?.groups;
      const recipients = groups ? patternOf(groups['pattern']!) : undefined;
      if (!groups || !recipients) {
        context.addIssue({
          code: 'custom',
          message: 'must be PATTERN=code:SIXDIGITS or PATTERN=ttl:SECONDS, separated by ;',
        });
        return { recipients: /$^/ };
      }
      return groups['code'] === undefined
        ? { recipients, ttlSeconds: Number(groups['ttl']) }
        : { recipients, code: groups['code'] };
    });
}

function patternOf(source: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`);
  } catch {
    return undefined;
  }
}
