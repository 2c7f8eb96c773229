import { Module } from '@nestjs/common';
import { AadhaarController } from './aadhaar/aadhaar.controller.js';
import { AadhaarService } from './aadhaar/aadhaar.service.js';
import { BankChecks } from './bank/bank-checks.service.js';
import { BankHoldersController } from './bank/bank-holders.controller.js';
import { BankController } from './bank/bank.controller.js';
import { EkycPageController } from './ekyc/ekyc-page.controller.js';
import { EkycProviderController } from './ekyc/ekyc-provider.controller.js';
import { EkycController } from './ekyc/ekyc.controller.js';
import { EkycService } from './ekyc/ekyc.service.js';
import { LockerPageController } from './locker/locker-page.controller.js';
import { LockerProviderController } from './locker/locker-provider.controller.js';
import { LockerController } from './locker/locker.controller.js';
import { LockerService } from './locker/locker.service.js';
import { MailServer } from './mail/mail-server.service.js';
import { KnownPeople } from './pan-registry/known-people.service.js';
import { PanRegistryController } from './pan-registry/pan-registry.controller.js';
import { ShortMessages } from './sms/short-messages.service.js';
import { SmsController } from './sms/sms.controller.js';

@Module({
  controllers: [
    SmsController,
    PanRegistryController,
    BankController,
    BankHoldersController,
    AadhaarController,
    EkycProviderController,
    EkycController,
    EkycPageController,
    LockerProviderController,
    LockerController,
    LockerPageController,
  ],
  providers: [AadhaarService, BankChecks, EkycService, KnownPeople, LockerService, MailServer, ShortMessages],
  exports: [BankChecks, EkycService, KnownPeople, LockerService, MailServer, ShortMessages],
})
export class ProvidersModule {}
