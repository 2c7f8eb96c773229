import { z } from 'zod';
import type { SmsConfig } from '../../../../config/index.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { ask } from '../../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

const codeField = z.union([z.string(), z.int().transform(String)]).optional();

const accepted = z.object({ type: z.literal('success'), message: z.string().min(1).max(200) });

/** Failures, whose status may be 200. Besides the documented shape, MSG91 has an older and a newer one. */
const refusal = z.union([
  z.object({ type: z.literal('error'), message: z.string(), code: codeField }),
  z
    .object({ msg_type: z.literal('error'), msg: z.string(), code: codeField })
    .transform(({ msg, code }) => ({ message: msg, code })),
  z
    .object({
      status: z.enum(['fail', 'error']),
      hasError: z.literal(true),
      errors: z.unknown().optional(),
      code: codeField,
    })
    .transform(({ errors, code }) => ({ message: textOf(errors), code })),
]);

/** The errors of the newer shape: a text, a list of texts, or texts by field. */
const textOf = (errors: unknown): string =>
  typeof errors === 'string' ? errors : (JSON.stringify(errors) ?? '');

/** Longer texts are cut before any pattern reads them. */
const MAX_TEXT = 200;

/**
 * Codes that hold for every message until an operator acts: refused key or address, empty wallet, expired or banned
 * account.
 */
const ACCOUNT_CODES = ['207', '208', '301', '302', '303', '418'];
/** The same in words, for an answer without its code. Other texts are about one message. */
const ACCOUNT_TEXTS = [
  ['207', [/\bauth(?:entication)? ?(?:key|fail)|\bunauthori[sz]ed\b/i]],
  ['301', [/\binsufficient (?:balance|credits?)\b/i]],
  ['418', [/\bIP\b/i, /\b(?:black|white)-?listed\b/i]],
] as const;

function accountCode({ code, message }: { code?: string | undefined; message: string }): string | undefined {
  const words = message.slice(0, MAX_TEXT);
  const inWords = ACCOUNT_TEXTS.find(([, patterns]) => patterns.every((pattern) => pattern.test(words)))?.[0];
  return ACCOUNT_CODES.find((known) => known === (code ?? message)) ?? inWords;
}

/** A text without a known code, which is not logged: it may contain the phone. */
const UNKNOWN = 'type error';

/** The error in an answer of any status, with the code of one that holds for every message. */
export const msg91FailureIn = (({ status, body }) => {
  const { data } = refusal.safeParse(body);
  const code = data && accountCode(data);
  if (code !== undefined) return { failure: 'misconfigured', code: `${UNKNOWN}: ${code}` };
  // as its code 418
  if (status === 418) return { failure: 'misconfigured', code: '418' };
  return data && status < 300 ? { failure: 'refused', code: UNKNOWN } : undefined;
}) satisfies ProviderEndpoint['failureIn'];

/** MSG91 keeps the registered text and takes its values by name. See the README beside this file. */
export class Msg91SmsAdapter implements SmsProvider {
  readonly name: string;
  readonly deliversOnce = false;

  constructor(
    private readonly endpoint: ProviderEndpoint,
    private readonly registration: Pick<SmsConfig, 'dltHeader' | 'templates'>,
  ) {
    this.name = endpoint.name;
  }

  async send({ phone, templateId, variables }: SmsMessage, signal: AbortSignal): Promise<void> {
    const { dltHeader, templates } = this.registration;
    const body = {
      template_id: templates[templateId]?.msg91TemplateId,
      sender: dltHeader,
      short_url: '0',
      recipients: [{ mobiles: phone, ...variables }],
    };
    const url = `${this.endpoint.baseUrl}/flow`;
    await ask(this.endpoint, { url, body, shape: accepted }, signal);
  }
}
