interface NoticeText {
  readonly title: string;
  readonly text: string;
  readonly data: readonly string[];
}

interface Notice {
  /** Version of the texts. A new version requires a new consent; older consents stay on record. */
  readonly version: string;
  /** Calls that give this consent by a field of their own. Every one can be given with `POST /api/v1/consents` too. */
  readonly givenBy: readonly string[];
  /** Other purposes in its text: this consent covers them until the user gives them separately. */
  readonly covers: readonly string[];
  /** Steps that the service refuses while it is withdrawn. */
  readonly steps: readonly string[];
  readonly en: NoticeText;
  readonly hi: NoticeText;
}

/** Steps that share data, or confirm that it will be shared. */
const PASSING_ON_STEPS = ['CHECK_ETB', 'LEAD', 'KYC_CONTEXT', 'EKYC', 'BANK', 'BOOKING'];

/**
 * The notice of TERMS_OF_USE covers the whole journey, so a client may show only this one; a client that asks for each
 * purpose gives each consent separately.
 */
const TABLE = {
  TERMS_OF_USE: {
    version: '2026-11',
    givenBy: ['POST /auth/api/v2/register/verify'],
    covers: ['BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING', 'CKYC'],
    steps: ['FD_DETAIL', 'PAN', 'EMAIL', 'PERSONAL_DETAILS', 'NOMINEE', ...PASSING_ON_STEPS],
    en: {
      title: 'Opening a fixed deposit',
      text: 'We use your data to open a fixed deposit for you: to verify you, to check your bank account with a small payment, to pass your application on to the issuer that you choose, and to look up or update your central KYC record.',
      data: [
        'Phone and email',
        'PAN, name and date of birth',
        'Bank account',
        'Personal details and nominee',
      ],
    },
    hi: {
      title: 'सावधि जमा खोलना',
      text: 'हम आपके डेटा का उपयोग आपकी सावधि जमा खोलने के लिए करते हैं: आपका सत्यापन करने, एक छोटे भुगतान से आपका बैंक खाता जाँचने, आपका आवेदन आपके चुने हुए जारीकर्ता को भेजने और आपका केंद्रीय KYC रिकॉर्ड देखने या अद्यतन करने के लिए।',
      data: ['फ़ोन और ईमेल', 'पैन, नाम और जन्मतिथि', 'बैंक खाता', 'व्यक्तिगत विवरण और नामांकित व्यक्ति'],
    },
  },
  ACCOUNT_ACCESS: {
    version: '2026-11',
    // after the terms of use were withdrawn
    givenBy: ['POST /auth/api/v2/register/verify'],
    covers: [],
    steps: [],
    en: {
      title: 'Being logged in',
      text: 'You withdrew your consent to open a fixed deposit. We use your phone only to let you log in, look at your data, export it, and withdraw consents.',
      data: ['Phone'],
    },
    hi: {
      title: 'लॉग इन रहना',
      text: 'आपने सावधि जमा खोलने की सहमति वापस ले ली है। हम आपके फ़ोन का उपयोग केवल इसलिए करते हैं कि आप लॉग इन कर सकें, अपना डेटा देख सकें, उसे निर्यात कर सकें और सहमतियाँ वापस ले सकें।',
      data: ['फ़ोन'],
    },
  },
  PAN_VERIFICATION: {
    version: '2026-11',
    givenBy: ['POST /api/v1/pan-verification'],
    covers: [],
    steps: PASSING_ON_STEPS,
    en: {
      title: 'Checking your PAN',
      text: 'We send your PAN and date of birth to the PAN registry, which tells us the name of the holder and whether the PAN is valid.',
      data: ['PAN', 'Date of birth'],
    },
    hi: {
      title: 'आपके पैन की जाँच',
      text: 'हम आपका पैन और जन्मतिथि पैन रजिस्ट्री को भेजते हैं, जो हमें धारक का नाम और पैन की वैधता बताती है।',
      data: ['पैन', 'जन्मतिथि'],
    },
  },
  AADHAAR_EKYC: {
    version: '2026-11',
    givenBy: ['POST /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp'],
    covers: [],
    steps: ['EKYC'],
    en: {
      title: 'Verifying you by Aadhaar',
      text: 'We send your Aadhaar number to the verification service, which sends you a code. We keep the last four digits and a reference, never the number. You may verify yourself in another way instead.',
      data: ['Aadhaar number (not kept)', 'Name, date of birth and address in your Aadhaar'],
    },
    hi: {
      title: 'आधार से सत्यापन',
      text: 'हम आपका आधार नंबर सत्यापन सेवा को भेजते हैं, जो आपको एक कोड भेजती है। हम केवल अंतिम चार अंक और एक संदर्भ रखते हैं, नंबर कभी नहीं। आप इसके बदले किसी दूसरे तरीके से सत्यापन कर सकते हैं।',
      data: ['आधार नंबर (रखा नहीं जाता)', 'आपके आधार में नाम, जन्मतिथि और पता'],
    },
  },
  DOCUMENT_LOCKER: {
    version: '2026-11',
    givenBy: ['POST /issuer-apis/{issuer_slug}/v1/document-locker/session'],
    covers: [],
    steps: ['EKYC'],
    en: {
      title: 'Reading your Aadhaar from the document locker',
      text: 'You open your document locker and allow us to read your Aadhaar there. We compare it with your PAN. We never see your Aadhaar number in full.',
      data: ['Name, date of birth and address in your Aadhaar', 'Last four digits of your Aadhaar'],
    },
    hi: {
      title: 'दस्तावेज़ लॉकर से आधार पढ़ना',
      text: 'आप अपना दस्तावेज़ लॉकर खोलकर हमें वहाँ अपना आधार पढ़ने की अनुमति देते हैं। हम उसे आपके पैन से मिलाते हैं। हम आपका पूरा आधार नंबर कभी नहीं देखते।',
      data: ['आपके आधार में नाम, जन्मतिथि और पता', 'आपके आधार के अंतिम चार अंक'],
    },
  },
  BANK_ACCOUNT_VERIFICATION: {
    version: '2026-11',
    givenBy: [],
    covers: [],
    steps: ['BANK'],
    en: {
      title: 'Checking your bank account',
      text: 'A verification service pays a small amount, such as one rupee, into your account. Your bank tells it the name of the account holder, which we compare with your name.',
      data: ['Account number and IFSC', 'Name of the account holder'],
    },
    hi: {
      title: 'आपके बैंक खाते की जाँच',
      text: 'एक सत्यापन सेवा आपके खाते में एक छोटी राशि, जैसे एक रुपया, जमा करती है। आपका बैंक उसे खाताधारक का नाम बताता है, जिसे हम आपके नाम से मिलाते हैं।',
      data: ['खाता संख्या और IFSC', 'खाताधारक का नाम'],
    },
  },
  ISSUER_SHARING: {
    version: '2026-11',
    givenBy: [],
    covers: [],
    steps: ['CHECK_ETB', 'LEAD', 'KYC_CONTEXT', 'BANK', 'BOOKING'],
    en: {
      title: 'Passing your data on to the issuer',
      text: 'We pass your application on to the bank or finance company that you choose, which needs it to open the deposit and to meet its legal duties.',
      data: ['Phone', 'PAN, name and date of birth', 'Bank account', 'Your wishes for the deposit'],
    },
    hi: {
      title: 'जारीकर्ता को आपका डेटा भेजना',
      text: 'हम आपका आवेदन आपके चुने हुए बैंक या वित्त कंपनी को भेजते हैं, जिसे जमा खोलने और अपने कानूनी दायित्व निभाने के लिए इसकी आवश्यकता होती है।',
      data: ['फ़ोन', 'पैन, नाम और जन्मतिथि', 'बैंक खाता', 'जमा के बारे में आपकी इच्छाएँ'],
    },
  },
  PARTNER_SHARING: {
    version: '2026-11',
    givenBy: ['POST /api/v1/account-confirmation'],
    covers: [],
    // all calls of this partner but looks, withdrawals and the end of sessions, if partners are separate
    steps: [],
    en: {
      title: 'Using your account in this app too',
      text: 'You began your account in the app of another partner. We show this app what you gave there and let you change it here, and show the other app what you give here.',
      data: [
        'Phone and email',
        'PAN, name and date of birth',
        'Bank account',
        'Personal details and nominees',
        'State of your applications',
      ],
    },
    hi: {
      title: 'इस ऐप में भी अपना खाता इस्तेमाल करना',
      text: 'आपने अपना खाता किसी दूसरे साझेदार के ऐप में शुरू किया था। हम इस ऐप को वह दिखाते हैं जो आपने वहाँ दिया था और आपको उसे यहाँ बदलने देते हैं, और दूसरे ऐप को वह दिखाते हैं जो आप यहाँ देते हैं।',
      data: [
        'फ़ोन और ईमेल',
        'पैन, नाम और जन्मतिथि',
        'बैंक खाता',
        'व्यक्तिगत विवरण और नामांकित व्यक्ति',
        'आपके आवेदनों की स्थिति',
      ],
    },
  },
  CKYC: {
    version: '2026-11',
    givenBy: [],
    covers: [],
    // no call to the registry yet
    steps: [],
    en: {
      title: 'Your central KYC record',
      text: 'The issuer may fetch your record from the Central KYC Registry, and update it with what you have told.',
      data: ['PAN', 'KYC identifier', 'Identity and address in your KYC record'],
    },
    hi: {
      title: 'आपका केंद्रीय KYC रिकॉर्ड',
      text: 'जारीकर्ता केंद्रीय KYC रजिस्ट्री से आपका रिकॉर्ड ले सकता है और आपके दिए विवरण से उसे अद्यतन कर सकता है।',
      data: ['पैन', 'KYC पहचान संख्या', 'आपके KYC रिकॉर्ड में पहचान और पता'],
    },
  },
  DEPOSIT_TERMS: {
    version: '2026-11',
    givenBy: ['GET /issuer-apis/{issuer_slug}/v1/booking-check'],
    covers: [],
    steps: [],
    en: {
      title: 'The terms of your deposit',
      text: 'You have seen the fact sheet of the deposit and go on with these terms. We keep the hash of the sheet as proof of what you saw.',
      data: ['Hash of the fact sheet'],
    },
    hi: {
      title: 'आपकी जमा की शर्तें',
      text: 'आपने जमा का तथ्य पत्र देख लिया है और इन्हीं शर्तों पर आगे बढ़ते हैं। आपने जो देखा उसके प्रमाण के रूप में हम पत्र का हैश रखते हैं।',
      data: ['तथ्य पत्र का हैश'],
    },
  },
} as const satisfies Readonly<Record<string, Notice>>;

export type ConsentPurpose = keyof typeof TABLE;

export const NOTICES: Readonly<Record<ConsentPurpose, Notice>> = TABLE;

export const isConsentPurpose = (value: unknown): value is ConsentPurpose =>
  typeof value === 'string' && Object.hasOwn(NOTICES, value);

/** How to withdraw a consent, which every notice must say. */
export const HOW_TO_WITHDRAW = {
  en: 'You can withdraw this consent at any time, as easily as you gave it. What was done before stays lawful. You can complain to the Data Protection Board of India.',
  hi: 'आप यह सहमति कभी भी वापस ले सकते हैं, उतनी ही आसानी से जितनी आसानी से दी थी। इससे पहले किया गया काम वैध रहता है। आप भारत के डेटा संरक्षण बोर्ड से शिकायत कर सकते हैं।',
} as const;
