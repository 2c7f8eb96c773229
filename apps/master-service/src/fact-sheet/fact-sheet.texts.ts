import type {
  FactSheetLanguage,
  IssuerType,
  NominationType,
  PayoutFrequency,
  TdsReason,
} from '@fd/contracts';

/** The texts of a fact sheet outside of the law tables. `{name}` is a parameter. */
export interface FactSheetTexts {
  readonly estimate: string;
  readonly tds: Readonly<Record<TdsReason, string>>;
  readonly assumptions: readonly string[];
  readonly holiday: string;
  readonly withdrawal: {
    readonly terms: string;
    readonly unknown: string;
    readonly never: string;
    readonly noInterest: string;
    readonly penalty: string;
    readonly penaltyWithoutRate: string;
  };
  readonly nomineeRequired: string;
  /** Texts of the page only. */
  readonly page: {
    readonly title: string;
    readonly estimateTag: string;
    readonly issuerTypes: Readonly<Record<IssuerType, string>>;
    readonly deposit: string;
    readonly amount: string;
    readonly rate: string;
    readonly perYear: string;
    readonly yield: string;
    readonly tenure: string;
    readonly days: string;
    readonly starts: string;
    readonly matures: string;
    readonly payout: string;
    readonly frequencies: Readonly<Record<PayoutFrequency, string>>;
    readonly interest: string;
    readonly maturityAmount: string;
    readonly seniorRate: string;
    readonly womenRate: string;
    readonly taxSaver: string;
    readonly payouts: string;
    readonly date: string;
    readonly tax: string;
    readonly year: string;
    readonly tds: string;
    readonly totalTds: string;
    readonly takenForGranted: string;
    readonly lawOfToday: string;
    readonly insurance: string;
    readonly covered: string;
    readonly notCovered: string;
    readonly withdrawal: string;
    readonly from: string;
    readonly terms: string;
    readonly rateAfter: string;
    readonly paidBefore: string;
    readonly youGet: string;
    readonly nomination: string;
    readonly kinds: Readonly<Record<NominationType, string>>;
    readonly law: string;
    readonly section: string;
    readonly since: string;
    readonly hash: string;
    readonly yes: string;
  };
}

const EN: FactSheetTexts = {
  estimate:
    'This is an estimate, not an offer or tax advice. What counts is the deposit receipt of the issuer and the law on the day of each payment.',
  tds: {
    UP_TO_THRESHOLD:
      'Nothing is deducted: the interest of the year is not more than {threshold}, the limit for this kind of issuer.',
    DEDUCTED:
      '{rate} per cent of all the interest of the year is deducted, as it is more than {threshold}. Form {form} stops this for those who owe no tax.',
    NO_PAN:
      '{rate} per cent of all the interest of the year is deducted, as the issuer has no operative PAN. A declaration is not accepted without it.',
    DECLARED:
      'Nothing is deducted if Form {form} is handed in for this year. Only those who owe no tax for the year may do so.',
  },
  assumptions: [
    'The depositor is an individual and resident in India.',
    'Only the interest of this deposit is counted. Interest of other deposits with the same issuer counts towards the limit of the year.',
    'Interest that is paid out counts in the year of its payment. Interest that is paid at maturity counts as it accrues up to each 31 March.',
    'Tax is deducted in advance. The interest is income of the depositor, whose own tax may be more or less.',
    'For years that have not begun, the law of today is taken to go on.',
  ],
  holiday:
    'If the deposit matures on a day on which the issuer is closed, it is paid on the next working day. A bank pays interest for the days between.',
  withdrawal: {
    terms: 'These are the terms of the issuer. Before the first date nothing is paid back.',
    unknown: 'The terms of the issuer are not on record here. Ask the issuer before you deposit.',
    never: 'This deposit cannot be ended before it matures.',
    noInterest: 'The principal is paid back without interest.',
    penalty:
      'Interest for the time held at {penalty} percentage points below the rate for that time, or below the agreed rate if that is lower.',
    penaltyWithoutRate:
      'Where the issuer has no rate for so short a time: {penalty} percentage points below its lowest rate.',
  },
  nomineeRequired: 'This issuer requires a nominee.',
  page: {
    title: 'Deposit fact sheet',
    estimateTag: 'Estimate',
    issuerTypes: { BANK: 'Bank', NBFC: 'Finance company (NBFC)' },
    deposit: 'The deposit',
    amount: 'Amount',
    rate: 'Interest rate',
    perYear: 'a year',
    yield: 'Average yield',
    tenure: 'Tenure',
    days: 'days',
    starts: 'Starts on',
    matures: 'Matures on',
    payout: 'Interest is paid',
    frequencies: {
      Maturity: 'at maturity',
      Monthly: 'every month',
      Quarterly: 'every quarter',
      HalfYearly: 'every half year',
      Yearly: 'every year',
    },
    interest: 'Interest',
    maturityAmount: 'Amount at maturity',
    seniorRate: 'Rate for senior citizens',
    womenRate: 'Rate for women',
    taxSaver: 'Tax saver deposit',
    payouts: 'Interest payouts, before tax',
    date: 'Date',
    tax: 'Tax deducted by the issuer (TDS)',
    year: 'Year',
    tds: 'TDS',
    totalTds: 'Total TDS',
    takenForGranted: 'What this takes for granted',
    lawOfToday: 'by the law of today',
    insurance: 'Deposit insurance',
    covered: 'Covered at maturity',
    notCovered: 'Not covered',
    withdrawal: 'If you end the deposit early',
    from: 'From',
    terms: 'Terms',
    rateAfter: 'Rate',
    paidBefore: 'Paid before',
    youGet: 'You get',
    nomination: 'Nominee',
    kinds: { SIMULTANEOUS: 'together, with shares', SUCCESSIVE: 'one after the other' },
    law: 'Law',
    section: 'section',
    since: 'since',
    hash: 'Hash of this sheet (SHA-256)',
    yes: 'yes',
  },
};

const HI: FactSheetTexts = {
  estimate:
    'यह एक अनुमान है; न कोई प्रस्ताव, न कर सलाह। जारीकर्ता की जमा रसीद और हर भुगतान के दिन का कानून ही मान्य है।',
  tds: {
    UP_TO_THRESHOLD: 'कोई कटौती नहीं: वर्ष का ब्याज इस प्रकार के जारीकर्ता की सीमा {threshold} से अधिक नहीं है।',
    DEDUCTED:
      'वर्ष के पूरे ब्याज पर {rate} प्रतिशत काटा जाता है, क्योंकि ब्याज {threshold} से अधिक है। जिन पर कर नहीं बनता, वे फ़ॉर्म {form} देकर इसे रोक सकते हैं।',
    NO_PAN:
      'वर्ष के पूरे ब्याज पर {rate} प्रतिशत काटा जाता है, क्योंकि जारीकर्ता के पास चालू पैन नहीं है। पैन के बिना घोषणा स्वीकार नहीं होती।',
    DECLARED: 'इस वर्ष के लिए फ़ॉर्म {form} देने पर कोई कटौती नहीं। इसे वही दे सकते हैं जिन पर इस वर्ष कर नहीं बनता।',
  },
  assumptions: [
    'जमाकर्ता एक व्यक्ति और भारत का निवासी है।',
    'केवल इस जमा का ब्याज गिना गया है। इसी जारीकर्ता की दूसरी जमाओं का ब्याज भी वर्ष की सीमा में गिना जाता है।',
    'जो ब्याज बीच में दिया जाता है, वह भुगतान के वर्ष में गिना जाता है। जो परिपक्वता पर दिया जाता है, वह हर 31 मार्च तक अर्जित होने के अनुसार गिना जाता है।',
    'कर पहले से काटा जाता है। ब्याज जमाकर्ता की आय है, जिस पर उसका अपना कर अधिक या कम हो सकता है।',
    'जो वर्ष अभी शुरू नहीं हुए, उनके लिए आज का कानून माना गया है।',
  ],
  holiday:
    'यदि जमा ऐसे दिन परिपक्व हो जब जारीकर्ता बंद है, तो भुगतान अगले कार्य दिवस पर होता है। बैंक बीच के दिनों का ब्याज देता है।',
  withdrawal: {
    terms: 'ये जारीकर्ता की शर्तें हैं। पहली तारीख से पहले कुछ वापस नहीं किया जाता।',
    unknown: 'जारीकर्ता की शर्तें यहाँ दर्ज नहीं हैं। जमा करने से पहले जारीकर्ता से पूछें।',
    never: 'यह जमा परिपक्वता से पहले बंद नहीं की जा सकती।',
    noInterest: 'मूलधन बिना ब्याज के वापस किया जाता है।',
    penalty: 'जितने समय जमा रही, उतने समय की दर या तय दर (जो कम हो) से {penalty} प्रतिशत अंक कम पर ब्याज।',
    penaltyWithoutRate:
      'जहाँ इतने कम समय के लिए जारीकर्ता की कोई दर नहीं है: उसकी सबसे कम दर से {penalty} प्रतिशत अंक कम।',
  },
  nomineeRequired: 'यह जारीकर्ता नामांकन अनिवार्य रखता है।',
  page: {
    title: 'जमा तथ्य पत्र',
    estimateTag: 'अनुमान',
    issuerTypes: { BANK: 'बैंक', NBFC: 'वित्त कंपनी (NBFC)' },
    deposit: 'जमा',
    amount: 'राशि',
    rate: 'ब्याज दर',
    perYear: 'प्रति वर्ष',
    yield: 'औसत प्रतिफल',
    tenure: 'अवधि',
    days: 'दिन',
    starts: 'आरंभ',
    matures: 'परिपक्वता',
    payout: 'ब्याज का भुगतान',
    frequencies: {
      Maturity: 'परिपक्वता पर',
      Monthly: 'हर महीने',
      Quarterly: 'हर तिमाही',
      HalfYearly: 'हर छमाही',
      Yearly: 'हर वर्ष',
    },
    interest: 'ब्याज',
    maturityAmount: 'परिपक्वता पर राशि',
    seniorRate: 'वरिष्ठ नागरिक दर',
    womenRate: 'महिला दर',
    taxSaver: 'कर-बचत जमा',
    payouts: 'ब्याज के भुगतान, कर से पहले',
    date: 'तारीख',
    tax: 'जारीकर्ता द्वारा काटा गया कर (TDS)',
    year: 'वर्ष',
    tds: 'TDS',
    totalTds: 'कुल TDS',
    takenForGranted: 'यह क्या मानकर चलता है',
    lawOfToday: 'आज के कानून के अनुसार',
    insurance: 'जमा बीमा',
    covered: 'परिपक्वता पर बीमित',
    notCovered: 'बीमित नहीं',
    withdrawal: 'समय से पहले जमा बंद करने पर',
    from: 'कब से',
    terms: 'शर्तें',
    rateAfter: 'दर',
    paidBefore: 'पहले दिया गया',
    youGet: 'आपको मिलेगा',
    nomination: 'नामांकन',
    kinds: { SIMULTANEOUS: 'एक साथ, हिस्सों में', SUCCESSIVE: 'एक के बाद एक' },
    law: 'कानून',
    section: 'धारा',
    since: 'प्रभावी',
    hash: 'इस पत्र का हैश (SHA-256)',
    yes: 'हाँ',
  },
};

export const FACT_SHEET_TEXTS: Readonly<Record<FactSheetLanguage, FactSheetTexts>> = { en: EN, hi: HI };

/** Inserts the parameters into a text. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole);
}

const WHOLE = new Intl.NumberFormat('en-IN', { maximumFractionDigits: 0 });
const EXACT = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** ₹5,00,000 or ₹5,00,000.50, in both languages. */
export const rupeesText = (rupees: number): string =>
  `₹${(Number.isInteger(rupees) ? WHOLE : EXACT).format(rupees)}`;
