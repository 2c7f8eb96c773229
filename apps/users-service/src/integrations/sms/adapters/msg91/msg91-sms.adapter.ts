import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import type { SmsConfig, SmsProviderSettings } from '../../../../config/index.js';
import { exchange } from '../../../providers/http-exchange.js';
import { statusError } from '../../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

/** The status is 200 for failures too: `type` distinguishes them. */
const answer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('success'), message: z.string().min(1).max(200) }),
  z.object({
    type: z.literal('error'),
    message: z.string(),
    code: z.union([z.string(), z.int().transform(String)]).optional(),
  }),
]);

/**
 * Codes that hold for every message until an operator acts: refused key or address, empty wallet, expired or banned
 * account.
 */
const ACCOUNT_CODES = ['207', '208', '301', '302', '303', '418'];
/** The same in words, for an answer without its code. Other texts are about one message. */
const ACCOUNT_TEXTS = [
  ['207', /\bauth(?:entication)? ?(?:key|fail)|\bunauthori[sz]ed\b/i],
  ['301', /\binsufficient (?:balance|credits?)\b/i],
  ['418', /\bIP\b.*\b(?:black|white)-?listed\b/i],
] as const;

function accountCode({ code, message }: { code?: string | undefined; message: string }): string | undefined {
  const inWords = ACCOUNT_TEXTS.find(([, text]) => text.test(message))?.[0];
  return ACCOUNT_CODES.find((known) => known === (code ?? message)) ?? inWords;
}

/** MSG91 keeps the registered text and takes its values by name. See the README beside this file. */
export class Msg91SmsAdapter implements SmsProvider {
  readonly name: string;
  readonly deliversOnce = false;

  constructor(
    private readonly settings: Extract<SmsProviderSettings, { kind: 'msg91' }>,
    private readonly registration: Pick<SmsConfig, 'dltHeader' | 'templates'>,
  ) {
    this.name = settings.name;
  }

  async send({ phone, templateId, variables }: SmsMessage, signal: AbortSignal): Promise<void> {
    const { baseUrl, authKey } = this.settings;
    const { dltHeader, templates } = this.registration;
    const call = {
      method: 'POST',
      url: `${baseUrl}/flow`,
      credentials: { authkey: authKey },
      body: {
        template_id: templates[templateId]?.msg91TemplateId,
        sender: dltHeader,
        short_url: '0',
        recipients: [{ mobiles: phone, ...variables }],
      },
    } as const;
    const reply = await exchange(this.name, call, signal);
    const { status, body } = reply;
    const detail = `status ${status}`;
    if (status < 200 || status > 299) throw statusError(this.name, reply);
    const read = answer.safeParse(body);
    if (!read.success) throw new ProviderError(this.name, 'malformed', { detail });
    if (read.data.type === 'success') return;
    // the text of an error may contain the phone, so only a known code is logged
    const code = accountCode(read.data);
    if (code === undefined) throw new ProviderError(this.name, 'refused', { detail: 'type error' });
    throw new ProviderError(this.name, 'misconfigured', { detail: `type error: ${code}` });
  }
}
