import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AnswersRaw } from '@fd/envelope';
import { Public } from '@fd/platform';
import { Unaudited } from '../../core/index.js';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';

class Jwks {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', required: ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'] },
  })
  readonly keys: object[];
}

@ApiTags('Session')
@Controller('.well-known')
export class JwksController {
  constructor(@Inject(USERS_CONFIG) private readonly config: UsersConfig) {}

  @Get('jwks.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Unaudited('public keys')
  @ApiOperation({ summary: 'Public keys, with which a gateway or a partner verifies our tokens' })
  @AnswersRaw({ payload: Jwks })
  jwks(): Jwks {
    return { keys: this.config.tokens.keys.map(({ publicJwk }) => publicJwk) };
  }
}
