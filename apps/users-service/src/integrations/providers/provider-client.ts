import { Logger } from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import type { Histogram } from 'prom-client';
import type { z } from 'zod';
import { exchange, type HttpAnswer, type HttpCall } from './http-exchange.js';
import type { ProviderAddress } from '../../config/index.js';
import type { Resilience } from './resilience.js';

/** The answers that a call may get: by status, the shape of the body. Any other answer is a failure. */
export type AnswerShapes = Readonly<Record<number, z.ZodType>>;

export type AnswerOf<Shapes extends AnswerShapes> = {
  [Status in keyof Shapes]: { readonly status: Status; readonly body: z.output<Shapes[Status]> };
}[keyof Shapes];

export interface ProviderCall<Shapes extends AnswerShapes> extends Omit<HttpCall, 'url' | 'apiKey'> {
  /** What is asked, for logs and metrics. */
  readonly operation: string;
  /** Starts with a slash. Ids in it must have been encoded. */
  readonly path: string;
  /** Whether a second try does no harm: the call reads, or carries an idempotency key. */
  readonly isRepeatable: boolean;
  readonly answers: Shapes;
}

export type CallLabels = 'provider' | 'operation' | 'outcome';

/** Speaks JSON over HTTP with one outside party. Knows nothing of what is said. */
export class ProviderClient {
  private readonly logger = new Logger(ProviderClient.name);

  constructor(
    readonly address: ProviderAddress,
    private readonly resilience: Resilience,
    private readonly duration: Histogram<CallLabels>,
  ) {}

  /**
   * @returns one of the declared answers, checked against its shape
   * @throws ProviderError for everything else
   */
  async call<Shapes extends AnswerShapes>(call: ProviderCall<Shapes>): Promise<AnswerOf<Shapes>> {
    return this.resilience.run(call.isRepeatable, (signal) => this.attempt(call, signal));
  }

  private async attempt<Shapes extends AnswerShapes>(
    call: ProviderCall<Shapes>,
    signal: AbortSignal,
  ): Promise<AnswerOf<Shapes>> {
    const labels = { provider: this.address.name, operation: call.operation };
    const end = this.duration.startTimer(labels);
    try {
      const answer = await exchange(
        this.address.name,
        { ...call, url: `${this.address.baseUrl}${call.path}`, apiKey: this.address.apiKey },
        signal,
      );
      const understood = this.understand(call.answers, answer);
      end({ outcome: String(answer.status) });
      return understood;
    } catch (error) {
      const failure = error instanceof ProviderError ? error.failure : 'defect';
      end({ outcome: failure });
      this.logger.warn({ msg: 'a provider failed', ...labels, failure, reason: (error as Error).message });
      throw error;
    }
  }

  private understand<Shapes extends AnswerShapes>(
    shapes: Shapes,
    { status, text }: HttpAnswer,
  ): AnswerOf<Shapes> {
    const shape = shapes[status];
    if (!shape) throw this.unexpected(status);
    const parsed = shape.safeParse(parseJson(text));
    // what is wrong is told by the paths of the fields, never by what they hold
    if (!parsed.success) {
      const paths = parsed.error.issues.map(({ path }) => path.join('.') || 'body').slice(0, 5);
      throw new ProviderError(this.address.name, 'malformed', {
        detail: `status ${status}: ${paths.join(', ')}`,
      });
    }
    return { status, body: parsed.data } as AnswerOf<Shapes>;
  }

  private unexpected(status: number): ProviderError {
    const detail = `status ${status}`;
    if (status === 401 || status === 403)
      return new ProviderError(this.address.name, 'misconfigured', { detail });
    // said by something in front of the party, which does not know what became of the call
    if ([408, 502, 504].includes(status)) return new ProviderError(this.address.name, 'timeout', { detail });
    if (status === 429 || status >= 500)
      return new ProviderError(this.address.name, 'unavailable', { detail });
    return new ProviderError(this.address.name, status < 400 ? 'malformed' : 'refused', { detail });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
