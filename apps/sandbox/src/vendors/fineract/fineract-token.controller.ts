import { Body, HttpCode, Post } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { z } from 'zod';
import { type Dialect, OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { newToken, TOKEN_SECONDS } from './fineract-dialect.js';

const statusOf = ({ status }: Refusal): number => (status === 422 ? 400 : status);

/** Errors of RFC 6749, 5.2. */
const OAUTH: Dialect = {
  hasKey: ({ headers }) => /^basic +\S+$/i.test(headers.authorization ?? ''),
  keyMissing: new Refusal(401, 'invalid_client', 'Client authentication failed'),
  statusOf,
  bodyOf: ({ type, message }) => ({ error: type, error_description: message }),
};

const tokenRequest = z.object({
  grant_type: z.literal('client_credentials'),
  scope: z.string().optional(),
});

/** The authorization server of Fineract, with tokens for any client id and secret. */
@OutsideApi('vendors/fineract/oauth2', OAUTH)
export class FineractTokenController {
  constructor(private readonly clock: Clock) {}

  @Post('token')
  @HttpCode(200)
  issue(@Body() body: unknown): object {
    readBody(tokenRequest, body);
    const access_token = newToken(this.clock.now());
    return { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS };
  }
}
