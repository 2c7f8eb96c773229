import { type z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings: all problems in one message, without values of settings. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`These settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads the settings of a service from the environment. @throws ConfigError naming every problem at once. */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, env: Environment): z.output<Schema> {
  // shells and manifests use an empty value for "not set"; it must not turn production into development
  const given = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (value !== '' || name === 'NODE_ENV'),
    ),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = issue.path.join('.') || '(all)';
      const isMissing = issue.code === 'invalid_type' && given[String(issue.path[0])] === undefined;
      return `${name}: ${isMissing ? 'is not set' : issue.message}`;
    }),
  );
}
