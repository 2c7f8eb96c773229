import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import { isPanelText, type SmsConfig } from '../../../../config/index.js';
import { CheckFault, type VendorCheck } from '../../../doctor/vendor-check.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { ask } from '../../../providers/provider-client.js';
import { SMS_TEMPLATE_IDS } from '../sms.checks.js';

/** Versions of a template, one of them active. */
const versions = z.object({
  data: z.array(z.object({ template_data: z.string(), active_status: z.coerce.string().optional() })).min(1),
});

const ADDRESS = 'Allow our egress addresses for the key in MSG91_AUTH_KEY in the panel of MSG91.';

export const MSG91_HELP: ProviderEndpoint['help'] = {
  settings: 'MSG91_URL and MSG91_AUTH_KEY',
  advice: {
    '207': 'MSG91 refuses the key: check MSG91_AUTH_KEY.',
    '208': ADDRESS,
    '301': 'The wallet is empty: put money into it, and set an alert on its balance.',
    '302': 'The account has expired: ask the support of MSG91.',
    '303': 'The account is banned: ask the support of MSG91.',
    '418': ADDRESS,
  },
};

/** The texts in the vendor's panel, which are sent with our values by name. */
export const msg91PanelTexts = (
  endpoint: ProviderEndpoint,
  { templates, texts }: SmsConfig,
): VendorCheck => ({
  name: 'texts in the panel',
  run: async () => {
    const url = `${endpoint.baseUrl}/sms/getTemplateVersions`;
    for (const id of SMS_TEMPLATE_IDS) {
      const body = { template_id: templates[id]?.msg91TemplateId };
      const call = { url, body, shape: versions };
      const { data } = await ask(endpoint, call).catch((error: unknown) => {
        throw error instanceof ProviderError &&
          error.failure === 'refused' &&
          error.detail?.endsWith('type error')
          ? noTemplate(id)
          : error;
      });
      const inUse = data.find(({ active_status: active = '1' }) => active === '1');
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

/** MSG91's text for it is not documented. */
const noTemplate = (id: string): CheckFault =>
  new CheckFault(
    `${id}: MSG91 has no template with the msg91_template_id of SMS_TEMPLATES`,
    'Copy the id of the template from the panel of MSG91 into SMS_TEMPLATES, or create the template there. If it is there, check that SMS is enabled for the key in MSG91_AUTH_KEY.',
  );
