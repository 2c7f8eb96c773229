import { type DynamicModule, Module } from '@nestjs/common';
import {
  AuditConfig,
  EventsConfig,
  FactSheetConfig,
  JourneyConfig,
  LoginConfig,
  MailConfig,
  OtpConfig,
  PiiConfig,
  ProvidersConfig,
  SmsConfig,
  TokensConfig,
} from './slices.js';
import type { UsersConfig } from './users-config.js';

@Module({})
export class ConfigModule {
  static forRoot(config: UsersConfig): DynamicModule {
    const slices = [
      { provide: AuditConfig, useValue: config.audit },
      { provide: EventsConfig, useValue: config.events },
      { provide: FactSheetConfig, useValue: config.factSheet },
      { provide: JourneyConfig, useValue: config.journey },
      { provide: LoginConfig, useValue: config.login },
      { provide: MailConfig, useValue: config.mail },
      { provide: OtpConfig, useValue: config.otp },
      { provide: PiiConfig, useValue: config.pii },
      { provide: ProvidersConfig, useValue: config.providers },
      { provide: SmsConfig, useValue: config.sms },
      { provide: TokensConfig, useValue: config.tokens },
    ];
    return { module: ConfigModule, global: true, providers: slices, exports: slices };
  }
}
