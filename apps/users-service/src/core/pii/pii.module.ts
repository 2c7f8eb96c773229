import { Global, Module } from '@nestjs/common';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import { KeyWatch } from './key-watch.service.js';
import { KeyedHash } from './keyed-hash.js';
import { PiiCipher } from './pii-cipher.js';

@Global()
@Module({
  providers: [
    KeyWatch,
    {
      provide: PiiCipher,
      inject: [USERS_CONFIG],
      useFactory: ({ pii }: UsersConfig) => new PiiCipher(pii.keys),
    },
    {
      provide: KeyedHash,
      inject: [USERS_CONFIG],
      useFactory: ({ pii }: UsersConfig) => new KeyedHash(pii.indexSecret),
    },
  ],
  exports: [PiiCipher, KeyedHash, KeyWatch],
})
export class PiiModule {}
