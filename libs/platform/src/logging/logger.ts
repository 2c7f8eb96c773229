import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { requestStore } from '@fd/envelope';
import { isError } from '@fd/errors';
import { type Logger, pino, type DestinationStream } from 'pino';

/**
 * Nine or more digits in a row (a phone, an account, an Aadhaar number), a PAN, a JWT, or a 43-character token: which
 * only a mistake puts into a log line. A safety net below the allow-list of fields. Searches a JWT once in a run of its
 * characters, not from every "eyJ", which would take quadratic time. The last group of a UUID stays: it may be all digits.
 */
const SENSITIVE = [
  /(?<![\w-])(?=[\w-]*eyJ)[\w-]+\.[\w-]+\.[\w-]*/g,
  /\b[\w-]{43}\b/g,
  /(?<!\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)\b\+?[0-9]{9,}\b/g,
  /\b[A-Z]{5}[0-9]{4}[A-Z]\b/g,
];

/** Fields with our own ids, which may look like a number. */
const IDS = ['request_id', 'context', 'user_id', 'object_id'];

/** A line with only safe fields and a request id, logged without scrubbing. */
export class SafeLine {
  constructor(fields: Readonly<Record<string, string | number | undefined>>) {
    Object.assign(this, fields);
  }
}

/** Scrubs the texts in an argument of the logger. Errors have their own serializer. */
function scrubbed(arg: unknown): unknown {
  if (typeof arg === 'string') return scrub(arg);
  if (typeof arg !== 'object' || arg === null || isError(arg) || arg instanceof SafeLine) return arg;
  const fields = Object.entries<unknown>({ ...arg }).map(([name, value]) => [
    name,
    typeof value === 'string' && !IDS.includes(name) ? scrub(value) : value,
  ]);
  return Object.fromEntries(fields);
}

export function scrub(text: string): string {
  return SENSITIVE.reduce((rest, pattern) => rest.replace(pattern, '[redacted]'), text);
}

/** Loggable fields of an error: not its own properties, which may contain bodies and SQL parameters. */
function loggableError(error: unknown): Record<string, unknown> {
  if (!isError(error)) return { type: typeof error };
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: scrub(error.message),
    stack: error.stack ? scrub(error.stack) : undefined,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.cause === undefined ? {} : { cause: loggableError(error.cause) }),
  };
}

/** The process's logger: one JSON object a line, with the fields of BASE and the ids of the current request. */
export function createLogger(
  base: Readonly<Record<string, string>>,
  level: string,
  destination?: DestinationStream,
): Logger {
  return pino(
    {
      level,
      base: { ...base },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // undefined ids are left out
      mixin: (line) =>
        line instanceof SafeLine
          ? line
          : { request_id: requestStore()?.requestId, trace_id: requestStore()?.traceId },
      mixinMergeStrategy: (line, ids) => (line === ids ? line : Object.assign(ids, line)),
      serializers: { err: loggableError, error: loggableError },
      hooks: {
        logMethod(args, method) {
          method.apply(this, args.map(scrubbed) as Parameters<typeof method>);
        },
      },
    },
    destination,
  );
}

/** Loggers of Nest that list all routes and modules at each start; the OpenAPI document has them. */
const VERBOSE_LOGGERS: readonly (string | undefined)[] =
  'InstanceLoader RouterExplorer RoutesResolver NestFactory NestApplication'.split(' ');

/** Nest's logger on top of pino. Objects with a `msg` are logged with their fields. */
export class NestLogger extends ConsoleLogger {
  constructor(private readonly pino: Logger) {
    // pino selects the levels; with json, no stack is printed beside its lines
    super({ json: true, logLevels: ['verbose'] });
  }

  protected override printMessages(messages: unknown[], context?: string, level: LogLevel = 'log'): void {
    const quiet = VERBOSE_LOGGERS.includes(context) ? 'debug' : 'info';
    const pinoLevel = level === 'log' ? quiet : level === 'verbose' ? 'trace' : level;
    for (const message of messages)
      if (isError(message)) this.pino[pinoLevel]({ context, err: message }, message.message);
      else if (typeof message === 'object' && message !== null) this.pino[pinoLevel]({ context, ...message });
      else this.pino[pinoLevel]({ context }, String(message));
  }
}
