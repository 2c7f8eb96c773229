import type { IssuerType } from '../master/deposit-terms.js';
import type { NominationType } from '../users/nominee.js';
import type { DatedRule, LawText } from './dated-rule.js';

interface NominationTerms {
  /** Nominees of one deposit. */
  readonly most: number;
  /** Empty where the law provides for one nominee. */
  readonly kinds: readonly NominationType[];
  readonly text: LawText;
}

const ONE_NOMINEE: NominationTerms = {
  most: 1,
  kinds: [],
  text: {
    en: 'The law provides for one nominee. A nominee receives the deposit on the death of the depositor.',
    hi: 'कानून एक नामांकित व्यक्ति की अनुमति देता है। जमाकर्ता की मृत्यु पर नामांकित व्यक्ति को जमा मिलती है।',
  },
};

/** The law of nomination, which the fact sheet states and the booking check applies. */
export const NOMINATION_RULES: Readonly<Record<IssuerType, readonly DatedRule<NominationTerms>[]>> = {
  BANK: [
    {
      id: 'NOMINATION_45ZA_1985',
      law: 'Banking Regulation Act, 1949',
      section: '45ZA',
      from: '1985-03-29',
      to: '2025-10-31',
      source: 'The wording before the amendment of 2025',
      value: ONE_NOMINEE,
    },
    {
      id: 'NOMINATION_45ZA_2025',
      law: 'Banking Regulation Act, 1949, as amended by the Banking Laws (Amendment) Act, 2025',
      section: '45ZA',
      from: '2025-11-01',
      to: null,
      source: 'pib.gov.in PRID=2181734; RBI/2025-26/95, read in November 2026',
      value: {
        most: 4,
        kinds: ['SIMULTANEOUS', 'SUCCESSIVE'],
        text: {
          en: 'You may name up to four nominees: together, with shares that make 100 per cent, or in succession. You may also declare that you name no nominee. A minor needs an adult who receives the money.',
          hi: 'आप चार तक नामांकित व्यक्ति रख सकते हैं: एक साथ, जिनके हिस्से मिलकर 100 प्रतिशत हों, या एक के बाद एक। आप यह घोषणा भी कर सकते हैं कि आप किसी को नामांकित नहीं करते। नाबालिग के लिए राशि लेने वाला एक वयस्क आवश्यक है।',
        },
      },
    },
  ],
  NBFC: [
    {
      id: 'NOMINATION_45QB',
      law: 'Reserve Bank of India Act, 1934',
      section: '45QB',
      from: '1997-01-09',
      to: null,
      source: 'Text of the section; whether the directions of 28 November 2025 allow more is to be confirmed',
      value: ONE_NOMINEE,
    },
  ],
};
