import { Global, Module } from '@nestjs/common';
import { IssuerApis } from './issuer-apis.js';
import { IssuerDirectory } from './issuer-directory.js';

/** Who the issuers are, and how their APIs are reached. */
@Global()
@Module({ providers: [IssuerDirectory, IssuerApis], exports: [IssuerDirectory, IssuerApis] })
export class IssuersModule {}
