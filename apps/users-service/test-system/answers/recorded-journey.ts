import type { RecordedCalls } from '@fd/fuzzing';
import type { CallOptions } from '@fd/testing';
import type { Caller } from '../../test/support/error-example.js';
import type { IssuerSlug } from '../../test/support/issuers.js';
import { type Answer, JourneyClient } from '../../test/support/journey-client.js';
import type { Person } from '../../test/support/person.js';

/** A journey whose answers are recorded. */
export class RecordedJourney extends JourneyClient {
  private accessToken: string | undefined;
  private refreshToken: string | undefined;

  constructor(
    private readonly calls: RecordedCalls,
    issuer: IssuerSlug,
    person: Person,
  ) {
    super('', issuer, person);
  }

  get bearer(): Readonly<Record<string, string>> {
    return this.accessToken === undefined ? {} : { authorization: `Bearer ${this.accessToken}` };
  }

  override async call(
    method: 'GET' | 'POST' | 'DELETE' | 'PUT',
    path: string,
    body?: object,
    headers: object = {},
  ): Promise<Answer> {
    const given = await this.calls.with({ ...this.bearer, ...headers }).send({
      method,
      target: path,
      ...(body ? { body } : {}),
    });
    return {
      status: given.status,
      headers: new Headers(given.headers as Record<string, string>),
      body: JSON.parse(given.text) as Answer['body'],
    };
  }

  override async logIn(): Promise<Answer> {
    return this.keepTokens(await super.logIn());
  }

  async refresh(): Promise<Answer> {
    const body = { refresh_token: this.refreshToken };
    return this.keepTokens(await this.call('POST', '/auth/api/v2/token/refresh', body));
  }

  private keepTokens(answer: Answer): Answer {
    this.accessToken = answer.body.payload['access_token'] as string;
    this.refreshToken = answer.body.payload['refresh_token'] as string;
    return answer;
  }

  /** Registers and logs in. */
  async begin(): Promise<this> {
    await this.register();
    await this.logIn();
    return this;
  }

  /** These calls for an example of the error catalogue. */
  get caller(): Caller {
    const headersOf = ({ headers = {} }: CallOptions) => headers;
    return {
      get: (path, options) => this.call('GET', path, undefined, headersOf(options)),
      delete: (path, options) => this.call('DELETE', path, undefined, headersOf(options)),
      post: (path, body, options) => this.call('POST', path, body, headersOf(options)),
    };
  }
}
