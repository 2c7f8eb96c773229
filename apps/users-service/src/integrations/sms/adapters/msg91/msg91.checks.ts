import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import { isPanelText, type SmsConfig } from '../../../../config/index.js';
import { CheckFault, type VendorCheck } from '../../../doctor/vendor-check.js';
import { exchange, type ProviderEndpoint } from '../../../providers/http-exchange.js';
import { failureOf } from '../../../providers/provider-client.js';
import { SMS_TEMPLATE_IDS } from '../sms.checks.js';

/** Versions of a template, one of them active; without one, `errors` has the reason. */
const versions = z.union([
  z.object({
    hasError: z.literal(false).optional(),
    data: z
      .array(z.object({ template_data: z.string(), active_status: z.coerce.string().optional() }))
      .min(1),
  }),
  z.object({ hasError: z.literal(true) }),
]);

const LIMIT_MS = timeLimit(8_000);

/** The texts in the vendor's panel, which are sent with our values by name. */
export const msg91PanelTexts = (
  { name, baseUrl, credentials }: Pick<ProviderEndpoint, 'name' | 'baseUrl' | 'credentials'>,
  { templates, texts }: SmsConfig,
): VendorCheck => ({
  name: 'texts in the panel',
  run: async () => {
    for (const id of SMS_TEMPLATE_IDS) {
      const template_id = templates[id]?.msg91TemplateId;
      const url = `${baseUrl}/sms/getTemplateVersions`;
      const call = { method: 'POST', url, credentials, body: { template_id } } as const;
      const { status, body } = await exchange(name, call, AbortSignal.timeout(LIMIT_MS));
      const detail = `status ${status}`;
      if (status !== 200) throw new ProviderError(name, failureOf(status), { detail });
      const read = versions.safeParse(body);
      if (!read.success)
        throw new ProviderError(name, 'malformed', { detail: `${detail}: ${pathsOf(read.error)}` });
      if (!('data' in read.data)) {
        throw new CheckFault(
          `${id}: MSG91 has no template with the msg91_template_id of SMS_TEMPLATES`,
          'Copy the id of the template from the panel of MSG91 into SMS_TEMPLATES, or create the template there.',
        );
      }
      const inUse = read.data.data.find(({ active_status: active = '1' }) => active === '1');
      if (inUse === undefined || !isPanelText(texts[id], inUse.template_data)) {
        throw new CheckFault(
          `${id}: ${inUse ? 'the text in the panel of MSG91 is another one' : 'no version of the template is in use'}`,
          `Put this text into the panel of MSG91, with ##name## for each {name}, and have it approved: ${texts[id]}`,
        );
      }
    }
    return 'the texts in the panel equal ours, with the same names of values';
  },
});

const pathsOf = ({ issues }: z.ZodError): string =>
  issues
    .map(({ path }) => path.join('.') || 'body')
    .slice(0, 5)
    .join(', ');
