import { Global, Module } from '@nestjs/common';
import { PiiConfig } from '../../config/index.js';
import { KeyWatch } from './key-watch.service.js';
import { KeyedHash } from './keyed-hash.js';
import { PiiCipher } from './pii-cipher.js';

@Global()
@Module({
  providers: [
    KeyWatch,
    {
      provide: PiiCipher,
      inject: [PiiConfig],
      useFactory: ({ keys }: PiiConfig) => new PiiCipher(keys),
    },
    {
      provide: KeyedHash,
      inject: [PiiConfig],
      useFactory: ({ indexSecret }: PiiConfig) => new KeyedHash(indexSecret),
    },
  ],
  exports: [PiiCipher, KeyedHash, KeyWatch],
})
export class PiiModule {}
