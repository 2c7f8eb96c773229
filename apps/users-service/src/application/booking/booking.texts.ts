import type { BookingCode, LawText, NoticeLanguage } from '@fd/contracts';
import { ConsentErrors, errorOf, JourneyErrors, messageOf, NomineeErrors, PanErrors } from '@fd/errors';

interface FindingTexts {
  /** The error's message in Hindi; the catalogue has the English one. */
  readonly hi: string;
  readonly wayOut: LawText;
}

const TEXTS: Readonly<Record<BookingCode, FindingTexts>> = {
  [JourneyErrors.stepMissing.code]: {
    hi: 'जमा खोलने के लिए यह चरण पूरा करें।',
    wayOut: { en: 'Go to this step and finish it.', hi: 'इस चरण पर जाएँ और इसे पूरा करें।' },
  },
  [ConsentErrors.factSheetNotShown.code]: {
    hi: 'अपनी जमा का तथ्य पत्र पढ़ें और उसकी शर्तों पर आगे बढ़ें।',
    wayOut: {
      en: 'Open the fact sheet of your deposit, read it, and agree to its terms.',
      hi: 'अपनी जमा का तथ्य पत्र खोलें, उसे पढ़ें और उसकी शर्तें स्वीकार करें।',
    },
  },
  [PanErrors.applicantMinor.code]: {
    hi: 'यह जमा खोलने के लिए आपकी आयु 18 वर्ष या अधिक होनी चाहिए।',
    wayOut: {
      en: 'Come back after your 18th birthday, or ask the issuer about deposits for minors.',
      hi: '18 वर्ष के होने के बाद लौटें, या जारीकर्ता से नाबालिगों की जमा के बारे में पूछें।',
    },
  },
  [PanErrors.notOfPerson.code]: {
    hi: 'यह पैन किसी कंपनी, फ़र्म, परिवार या ट्रस्ट का है। यह जमा केवल व्यक्ति खोल सकता है।',
    wayOut: {
      en: 'Ask our support to release this PAN from your account, then verify your own.',
      hi: 'हमारी सहायता से इस पैन को अपने खाते से हटवाएँ, फिर अपना पैन सत्यापित करें।',
    },
  },
  [PanErrors.inoperative.code]: {
    hi: 'आपका पैन आधार से जुड़ा नहीं है, इसलिए कर दोगुनी दर से काटा जाता है।',
    wayOut: {
      en: 'Link your PAN to your Aadhaar on the site of the Income Tax Department.',
      hi: 'आयकर विभाग की साइट पर अपना पैन आधार से जोड़ें।',
    },
  },
  [NomineeErrors.required.code]: {
    hi: 'इस जारीकर्ता के लिए नामांकित व्यक्ति आवश्यक है।',
    wayOut: { en: 'Name a nominee.', hi: 'किसी को नामांकित करें।' },
  },
  [NomineeErrors.sharesIncomplete.code]: {
    hi: 'आपके नामांकित व्यक्तियों के हिस्से मिलकर 100 होने चाहिए।',
    wayOut: {
      en: 'Change the shares, or add a nominee for the rest.',
      hi: 'हिस्से बदलें, या शेष के लिए एक और नामांकित व्यक्ति जोड़ें।',
    },
  },
  [NomineeErrors.guardianAgeUnknown.code]: {
    hi: 'अभिभावक की जन्मतिथि दें; अभिभावक वयस्क होना चाहिए।',
    wayOut: {
      en: 'Change the nominee and add the date of birth of the guardian.',
      hi: 'नामांकित व्यक्ति बदलें और अभिभावक की जन्मतिथि जोड़ें।',
    },
  },
  [NomineeErrors.guardianIsNominee.code]: {
    hi: 'अभिभावक नामांकित व्यक्ति से अलग व्यक्ति होना चाहिए।',
    wayOut: {
      en: 'Change the nominee and name another adult as guardian.',
      hi: 'नामांकित व्यक्ति बदलें और किसी दूसरे वयस्क को अभिभावक बनाएँ।',
    },
  },
  [NomineeErrors.tooManyForIssuer.code]: {
    hi: 'यह जारीकर्ता केवल आपके पहले नामांकित व्यक्ति को दर्ज कर सकता है।',
    wayOut: {
      en: 'Keep one nominee for this issuer.',
      hi: 'इस जारीकर्ता के लिए एक ही नामांकित व्यक्ति रखें।',
    },
  },
  [NomineeErrors.isApplicant.code]: {
    hi: 'आपका नामांकित व्यक्ति कोई दूसरा होना चाहिए।',
    wayOut: { en: 'Name another person than yourself.', hi: 'अपने अलावा किसी और को नामांकित करें।' },
  },
};

export const textsOf = (code: BookingCode, lang: NoticeLanguage): { message: string; way_out: string } => ({
  message: lang === 'en' ? messageOf(errorOf(code)) : TEXTS[code].hi,
  way_out: TEXTS[code].wayOut[lang],
});
