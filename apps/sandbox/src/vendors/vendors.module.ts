import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { AadhaarReads } from './aadhaar-reads.service.js';
import { AwsSmsController } from './aws/aws-sms.controller.js';
import { CashfreeBankController } from './cashfree/cashfree-bank.controller.js';
import { CashfreeFormController } from './cashfree/cashfree-form.controller.js';
import { CashfreeLinks } from './cashfree/cashfree-links.service.js';
import { CashfreeLockerController } from './cashfree/cashfree-locker.controller.js';
import { CashfreePanController } from './cashfree/cashfree-pan.controller.js';
import { FineractTokenController } from './fineract/fineract-token.controller.js';
import { FineractController } from './fineract/fineract.controller.js';
import { Msg91Controller } from './msg91/msg91.controller.js';
import { SetuBankController } from './setu/setu-bank.controller.js';
import { SetuLockerController } from './setu/setu-locker.controller.js';
import { SetuPanController } from './setu/setu-pan.controller.js';
import { VendorWebhooksController } from './vendor-webhooks.controller.js';
import { VendorWebhooks } from './vendor-webhooks.service.js';
import { TwilioController, TwilioServicesController } from './twilio/twilio.controller.js';

/** Real companies in their own formats, with the logic of the fictional providers. */
@Module({
  imports: [ProvidersModule],
  controllers: [
    AwsSmsController,
    CashfreeBankController,
    CashfreeFormController,
    CashfreeLockerController,
    CashfreePanController,
    FineractController,
    FineractTokenController,
    Msg91Controller,
    SetuBankController,
    SetuLockerController,
    SetuPanController,
    TwilioController,
    TwilioServicesController,
    VendorWebhooksController,
  ],
  providers: [AadhaarReads, CashfreeLinks, VendorWebhooks],
})
export class VendorsModule {}
