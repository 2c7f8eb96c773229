import { type z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used: all problems in one message, never with the value of a setting in it. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`These settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads the settings of a service out of the environment.
 * @throws ConfigError naming every problem at once.
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, env: Environment): z.output<Schema> {
  // an empty value is how shells and manifests say "not set"; that must not make a developer's machine of production
  const given = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (value !== '' || name === 'NODE_ENV'),
    ),
  );
  const result = schema.safeParse(given);
  if (result.success) return deepFreeze(result.data);
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = issue.path.join('.') || '(all)';
      const isMissing = issue.code === 'invalid_type' && given[String(issue.path[0])] === undefined;
      return `${name}: ${isMissing ? 'is not set' : issue.message}`;
    }),
  );
}

/** Plain objects and arrays only: a key or a buffer has inner state of its own. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
  return value;
}
