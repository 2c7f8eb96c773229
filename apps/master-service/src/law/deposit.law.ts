import type { DatedRule, IssuerType, LawText } from '@fd/contracts';

type ByIssuerType<Value> = Readonly<Record<IssuerType, readonly DatedRule<Value>[]>>;

interface InsuranceTerms {
  /** Rupees for each depositor and bank, principal and interest together; 0: not insured. */
  readonly limit: number;
  readonly text: LawText;
}

export const INSURANCE_RULES: ByIssuerType<InsuranceTerms> = {
  BANK: [
    {
      id: 'DICGC_2020',
      law: 'Deposit Insurance and Credit Guarantee Corporation Act, 1961',
      section: '16(1)',
      from: '2020-02-04',
      to: null,
      source: 'dicgc.org.in; outlookmoney.com news-303811, read in November 2026',
      value: {
        limit: 500_000,
        text: {
          en: 'Insured by DICGC up to {limit} for each depositor and bank, principal and interest together. Your other deposits and accounts with this bank count towards the limit.',
          hi: 'DICGC द्वारा प्रति जमाकर्ता, प्रति बैंक {limit} तक बीमित, मूलधन और ब्याज मिलाकर। इस बैंक में आपकी दूसरी जमाएँ और खाते भी इसी सीमा में गिने जाते हैं।',
        },
      },
    },
  ],
  NBFC: [
    {
      id: 'DICGC_NBFC',
      law: 'Deposit Insurance and Credit Guarantee Corporation Act, 1961',
      section: '2(g)',
      from: '1978-07-15',
      to: null,
      source: 'bankingschool.co.in/deposits/dicgc-asks, read in November 2026',
      value: {
        limit: 0,
        text: {
          en: 'Not insured. DICGC insures deposits with banks only; this issuer is a finance company (NBFC).',
          hi: 'बीमित नहीं। DICGC केवल बैंकों की जमाओं का बीमा करता है; यह जारीकर्ता एक वित्त कंपनी (NBFC) है।',
        },
      },
    },
  ],
};

/** The law of early withdrawal; the issuer's terms are in the catalogue. */
export const WITHDRAWAL_RULES: ByIssuerType<LawText> = {
  BANK: [
    {
      id: 'RBI_CALLABLE_2023',
      law: 'RBI directions on interest rates on deposits',
      section: 'Circular of 26 October 2023; Directions of 2025',
      from: '2023-10-26',
      to: null,
      source: 'officenewz.com 2023-10-27; mondaq.com 1621310, read in November 2026',
      value: {
        en: 'A bank must let individuals withdraw term deposits of up to ₹1 crore early, tax saver deposits excepted. The penalty is the bank’s policy and must be disclosed beforehand.',
        hi: 'बैंक को व्यक्तियों की ₹1 करोड़ तक की सावधि जमाएँ समय से पहले निकालने देनी होती हैं; कर-बचत जमा इसका अपवाद है। दंड बैंक की नीति के अनुसार होता है और पहले से बताया जाना चाहिए।',
      },
    },
  ],
  NBFC: [
    {
      id: 'RBI_NBFC_EXIT_2025',
      law: 'RBI directions on acceptance of public deposits by NBFCs',
      section: 'Circular of 12 August 2024; Directions of 28 November 2025',
      from: '2025-01-01',
      to: null,
      source: 'financelane.com; newindianexpress.com 2024-08-12, read in November 2026',
      value: {
        en: 'An NBFC repays no deposit in the first three months. Exceptions, without interest: small deposits of up to ₹10,000 in full; in an emergency up to half, at most ₹5 lakh; all of it in critical illness.',
        hi: 'NBFC पहले तीन महीनों में जमा नहीं लौटाती। अपवाद, बिना ब्याज: ₹10,000 तक की छोटी जमा पूरी; आपात स्थिति में आधी तक, अधिकतम ₹5 लाख; गंभीर बीमारी में पूरी।',
      },
    },
  ],
};
