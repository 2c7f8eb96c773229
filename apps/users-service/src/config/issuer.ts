import { JOURNEY_STEPS } from '@fd/contracts';
import { z } from 'zod';

export const EKYC_METHODS = ['HOSTED', 'AADHAAR_OTP', 'DIGILOCKER'] as const;
export type EkycMethod = (typeof EKYC_METHODS)[number];

/** Wire formats that issuers speak: one adapter each. */
export const ISSUER_API_FORMATS = ['rest', 'core-banking'] as const;
export type IssuerApiFormat = (typeof ISSUER_API_FORMATS)[number];

/** What the journey has to know of an issuer: one file of `issuers/` each. Rates and products are master-service's. */
export const issuerFile = z.strictObject({
  slug: z.string().regex(/^[a-z][a-z0-9-]{1,39}$/),
  code: z.string().regex(/^[A-Z][A-Z0-9]{2,19}$/),
  id: z.uuid(),
  name: z.string().min(1),
  type: z.enum(['BANK', 'NBFC']),
  api: z.enum(ISSUER_API_FORMATS),
  /** In the order in which a customer goes through them. */
  steps: z.array(z.enum(JOURNEY_STEPS)).min(1),
  /** Flows beside the usual one, as `flow_id` names them. */
  flows: z.array(z.string().min(1)),
  ekyc_method: z.enum(EKYC_METHODS),
  nominee_required: z.boolean(),
  personal_details: z.strictObject({
    required: z.array(z.string().min(1)),
    declarations: z.array(z.string().min(1)),
  }),
});

export type Issuer = Readonly<z.output<typeof issuerFile>>;
