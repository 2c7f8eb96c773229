import type { DocumentedAnswers } from '@fd/testing';
import type { FuzzAnswer } from './exchange.js';
import { type FuzzRequest, MARKER } from './hostile-requests.js';

/** Internals that no refusal may contain: stacks, statements, libraries, addresses. */
const INSIDES =
  /(?:\n|\\n) {1,8}at |node_modules|\.[cm]?[jt]s:\d|\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b|onboarding\.|catalogue\.|relation "|column "|syntax error at|invalid byte sequence|QueryFailed|typeorm|postgres|ioredis|redis|ECONN|class-validator|passport|jsonwebtoken|express|nestjs|undefined|\[object /i;

const REQUEST_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

interface AnswerRulesOptions {
  readonly documented: DocumentedAnswers;
  /** Secrets that no answer may contain: keys and passwords of the service. */
  readonly secrets: readonly string[];
}

interface Body {
  readonly success?: number;
  readonly error?: readonly { readonly f_error_reason: string }[];
}

/** Rules of every answer. */
export class AnswerRules {
  constructor(private readonly options: AnswerRulesOptions) {}

  /**
   * @param isAuthorised whether the request had valid credentials
   * @throws Error that names the broken rule
   */
  check(request: FuzzRequest, answer: FuzzAnswer, isAuthorised: boolean): void {
    const { method, template } = request.operation;
    const seen = { method, path: pathLike(template), status: answer.status };
    const isPage = answer.headers['content-type'] === PAGE_TYPE && this.options.documented.hasPage(seen);
    const body: Body = isPage ? {} : this.envelopeOf(answer);
    const isUnknownRoute = answer.status === 404 && body.error?.[0]?.f_error_reason === 'ROUTE_UNKNOWN';
    if (answer.status >= 500 && answer.status !== 503) throw new Error(`a defect: ${answer.status}`);
    if (isUnknownRoute && request.isPathIntact) throw new Error('the route is not there');
    if (!isUnknownRoute && !isPage) this.options.documented.check({ ...seen, body });
    this.checkHeaders(answer);
    this.checkSecrecy(answer, body);
    const isRefused = answer.status >= 400;
    if (request.mustBeRefused && !isRefused) throw new Error('accepted without a required field');
    const needsAuthorisation = !request.operation.isPublic && !isAuthorised && request.isPathIntact;
    if (needsAuthorisation && ![401, 429, 503].includes(answer.status))
      throw new Error(`answered ${answer.status} without authentication`);
  }

  private envelopeOf({ headers, text }: FuzzAnswer): Body {
    if (headers['content-type'] !== 'application/json; charset=utf-8')
      throw new Error(`content type: ${headers['content-type']}`);
    return JSON.parse(text) as Body;
  }

  private checkHeaders({ status, headers }: FuzzAnswer): void {
    if (!REQUEST_ID.test(String(headers['x-request-id'] ?? ''))) throw new Error('no request id');
    if (headers['x-content-type-options'] !== 'nosniff') throw new Error('no nosniff');
    if (headers['strict-transport-security'] === undefined) throw new Error('no demand for TLS');
    if (headers['cache-control'] === undefined) throw new Error('no cache-control');
    if (headers['x-powered-by'] ?? headers['server']) throw new Error('reveals its framework');
    if (headers['set-cookie']) throw new Error('sets a cookie');
    if (status === 401 && headers['www-authenticate'] === undefined) throw new Error('no challenge');
    if ([429, 503].includes(status) && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
      throw new Error('no Retry-After');
  }

  private checkSecrecy({ status, headers, text }: FuzzAnswer, body: Body): void {
    const sent = `${text}\n${JSON.stringify(headers)}`;
    if (this.options.secrets.some((secret) => sent.includes(secret))) throw new Error('reveals a secret');
    if (status < 400) return;
    if (body.success !== 0) throw new Error('a failure with success set');
    const inside = INSIDES.exec(text);
    if (inside) throw new Error(`reveals internals: ${inside[0]}`);
    // the request id may be the client's
    if (text.includes(MARKER)) throw new Error('echoes the request');
  }
}

const PAGE_TYPE = 'text/html; charset=utf-8';

/** Whether a path matches a template with any parameters. */
const pathLike = (template: string): string => template.replace(/\{[^{}]+\}/g, 'x');
