import type { LoggerService } from '@nestjs/common';
import { isError } from '@fd/errors';
import { type Logger, pino, type DestinationStream } from 'pino';
import { currentTraceId } from '../tracing/spans.js';
import { currentRequestId } from './request-context.js';

/**
 * Nine or more digits in a row (a phone, an account, an Aadhaar number), a PAN, a JWT, or a 43-character token: things that only a mistake puts into a log
 * line. The allow-list of fields is the rule; this is the net below it. A JWT is looked for once in a run of its
 * characters, not from every "eyJ" on: that would take quadratic time.
 */
const SENSITIVE =
  /\b\+?[0-9]{9,}\b|\b[A-Z]{5}[0-9]{4}[A-Z]\b|(?<![\w-])(?=[\w-]*eyJ)[\w-]+\.[\w-]+\.[\w-]*|\b[\w-]{43}\b/g;

/** Fields that hold ids of ours, which may look like a number. */
const IDS = ['request_id', 'context', 'user_id', 'object_id'];

/** A line all of whose fields are known not to need scrubbing, and which names its request: nothing is done to it. */
export class WrittenLine {
  constructor(fields: Readonly<Record<string, string | number>>) {
    Object.assign(this, fields);
  }
}

/** An argument of the logger, with the texts in it scrubbed. Errors have a serializer of their own. */
function scrubbed(arg: unknown): unknown {
  if (typeof arg === 'string') return scrub(arg);
  if (typeof arg !== 'object' || arg === null || isError(arg) || arg instanceof WrittenLine) return arg;
  const fields = Object.entries<unknown>({ ...arg }).map(([name, value]) => [
    name,
    typeof value === 'string' && !IDS.includes(name) ? scrub(value) : value,
  ]);
  return Object.fromEntries(fields);
}

export function scrub(text: string): string {
  return text.replace(SENSITIVE, '[redacted]');
}

/** The fields of an error that may be logged: never its own properties, which can hold bodies and SQL parameters. */
export function loggableError(error: unknown): Record<string, unknown> {
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

function idsOfRequest(): Record<string, string> {
  const [requestId, traceId] = [currentRequestId(), currentTraceId()];
  return { ...(requestId ? { request_id: requestId } : {}), ...(traceId ? { trace_id: traceId } : {}) };
}

/**
 * The process's logger: one JSON object a line, with the ids of the request being served.
 * @param base in every line: which service, release and pod
 */
export function createLogger(
  base: Readonly<Record<string, string>>,
  level: string,
  destination?: DestinationStream,
): Logger {
  return pino(
    {
      level,
      base: { ...base },
      messageKey: 'msg',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: (line) => (line instanceof WrittenLine ? line : idsOfRequest()),
      mixinMergeStrategy: (line, ids) => (line === ids ? line : Object.assign(ids, line)),
      serializers: { err: loggableError, error: loggableError },
      hooks: {
        logMethod(args, method) {
          method.apply(this, args.map(scrubbed) as Parameters<typeof method>);
        },
      },
    },
    ...(destination ? [destination] : []),
  );
}

/** Loggers of Nest that list all routes and modules at each start; the OpenAPI document has them. */
const TALKATIVE = ['InstanceLoader', 'RouterExplorer', 'RoutesResolver', 'NestFactory', 'NestApplication'];

type Level = 'info' | 'warn' | 'error' | 'debug' | 'trace' | 'fatal';

/** Nest's logger on top of pino. Objects with a `msg` are logged with their fields. */
export class NestLogger implements LoggerService {
  readonly warn = this.at('warn');
  readonly error = this.at('error');
  readonly debug = this.at('debug');
  readonly verbose = this.at('trace');
  readonly fatal = this.at('fatal');

  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const isTalk = rest.some((part) => typeof part === 'string' && TALKATIVE.includes(part));
    this.write(isTalk ? 'debug' : 'info', message, rest);
  }

  private at(level: Level): LoggerService['warn'] {
    return (message: unknown, ...rest: unknown[]) => this.write(level, message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.findLast((part) => typeof part === 'string');
    if (isError(message)) this.logger[level]({ context, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.logger[level]({ context, ...message });
    else this.logger[level]({ context }, String(message));
  }
}
