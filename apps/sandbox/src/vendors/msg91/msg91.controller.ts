import { Body, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { type Dialect, OutsideApi } from '../../http/outside-api.decorator.js';
import { plantedFault } from '../../http/planted-faults.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { ShortMessages } from '../../providers/sms/short-messages.service.js';

/** A failure is `type: error` with HTTP 200, except for failures of the key or the service. */
const MSG91: Dialect = {
  hasKey: ({ headers }) => /^\S+$/.test(String(headers['authkey'] ?? '')),
  keyMissing: new Refusal(401, 'authentication_failed', 'Authentication failure'),
  statusOf: ({ status }) => (status === 422 ? 200 : status),
  bodyOf: ({ message }) => ({ type: 'error', message }),
};

const flowRequest = z.object({
  template_id: z.string().min(1),
  sender: z.string().optional(),
  short_url: z.enum(['0', '1']).optional(),
  recipients: z
    .array(z.object({ mobiles: z.string().regex(/^[1-9][0-9]{9,14}$/) }).catchall(z.string()))
    .length(1),
});

const versionsRequest = z.object({ template_id: z.string().min(1) });

/** Templates in the panel by id. The second one is outdated. */
const PANEL: Readonly<Record<string, string>> = {
  login_otp:
    '##code## is your code to log in. It is valid for ##minutes## minutes. Do not share it with anyone.',
  login_otp_old: '##code## is your OTP. It is valid for ##minutes## minutes.',
  pan_taken_over:
    'Another person has proved by eKYC to hold the PAN in your fixed deposit account, so it is no longer in your account. Log in and verify your own PAN to go on.',
};

/** MSG91's API for messages of a registered template ("flow"), version 5. */
@OutsideApi('vendors/msg91/api/v5', MSG91)
export class Msg91Controller {
  constructor(private readonly messages: ShortMessages) {}

  /** The versions of a template; an unknown one is an error with status 200. */
  @Post('sms/getTemplateVersions')
  @HttpCode(200)
  versions(@Body() body: unknown): object {
    const { template_id } = readBody(versionsRequest, body);
    const text = Object.hasOwn(PANEL, template_id) ? PANEL[template_id] : undefined;
    if (text === undefined) return { status: 'fail', hasError: true, errors: 'Template not found', data: [] };
    const version = { template_id, template_data: text, version: 'v1.0', status: '1', active_status: '1' };
    return { status: 'success', hasError: false, errors: [], data: [version] };
  }

  /** The text is in the vendor's panel, so the delivered message shows the template and its values. */
  @Post('flow')
  @HttpCode(200)
  async flow(@Body() body: unknown, @Req() request: Request): Promise<object> {
    if (plantedFault(request) === 'no-money') {
      return { type: 'error', code: '301', message: 'Insufficient balance' };
    }
    const { template_id, recipients } = readBody(flowRequest, body);
    const { mobiles, ...variables } = recipients[0]!;
    const values = Object.entries(variables).map(([name, value]) => `${name}: ${value}`);
    const text = [`Template ${template_id}`, ...values].join(', ');
    const id = await this.messages.deliver('msg91', { to: mobiles, text });
    return { type: 'success', message: id.replaceAll('-', '').slice(0, 24) };
  }
}
