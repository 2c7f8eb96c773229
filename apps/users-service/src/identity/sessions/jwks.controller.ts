import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AnswersRaw } from '@fd/envelope';
import { Public } from '@fd/platform';
import { Unaudited } from '../../core/index.js';
import { TokensConfig } from '../../config/index.js';

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
  constructor(private readonly config: TokensConfig) {}

  @Get('jwks.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Unaudited('public keys')
  @ApiOperation({ summary: 'Public keys, with which a gateway or a partner verifies our tokens' })
  @AnswersRaw({ payload: Jwks })
  jwks(): Jwks {
    return { keys: this.config.keys.map(({ publicJwk }) => publicJwk) };
  }
}
