type Rules = readonly (readonly [RegExp, string])[];

export function wordList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Other words match only if equal. */
export function isLatin(word: string): boolean {
  return /^[a-z]+$/.test(word);
}

/** Minimum length of both words for the following rules; shorter words are too similar (Ray, Rai). */
const SHORTEST_RESPELT = 4;
/** The same for the wider rules: Dhar and Dar, Shah and Sah, Isha and Isa are different names. */
const SHORTEST_LOOSELY_RESPELT = 5;

/** Regular ways to write one sound, in the order in which they are applied. */
const SPELLING_RULES: Rules = [
  [/ph/g, 'f'],
  [/(?!^)x/g, 'ksh'],
  [/q/g, 'k'],
  [/ck/g, 'k'],
  [/chh/g, 'ch'],
  [/th/g, 't'],
  [/ou/g, 'au'],
  [/ow(?=[^aeiou])/g, 'au'],
  [/w/g, 'v'],
  [/ee/g, 'i'],
  [/oo/g, 'u'],
  [/y/g, 'i'],
  [/(.)\1+/g, '$1'],
];

/**
 * Wider rules, applied in addition: aspirates, s and sh, z and j, a silent h at the end, and an inner `a` that northern
 * speech drops (Ramakrishnan, Ramkrishnan).
 */
const LOOSE_SPELLING_RULES: Rules = [
  [/([dbkgj])h/g, '$1'],
  [/sh/g, 's'],
  [/z/g, 'j'],
  [/ah$/, 'a'],
  [/(?<=[aeiou][^aeiou]{1,2})a(?=[^aeiou]+[aeiou])/g, ''],
  [/(.)\1+/g, '$1'],
];

/** Spellings of a name that the rules do not find, one line for each name. A word occurs in one line only. */
export const SPELLING_GROUPS: readonly (readonly string[])[] = `
  mohammed mohammad muhammad muhammed mohammod mohd mohamd mohmd muhd mhd md moh muh
  ahmed ahmad ahamed ahemad
  hussain hussein hossain husen
  sheikh shaikh shaik sheik shekh sk
  syed sayed sayyad
  rahman rehman rahaman
  siddiqui siddiqi siddique
  ayesha aisha
  fatima fatema fatma
  yusuf yousuf yousaf yusaf
  usman osman uthman
  umar omar umer
  ibrahim ebrahim
  ismail esmail
  sohail suhail
  khadija khatija
  begum begam
  abdul abdur abdus abd
  prasad parsad prashad parshad prosad prsd
  krishna krishan krushna
  lakshmi luxmi
  lakshman luxman
  chaudhary chaudhuri chowdary chaudhry
  srivastava srivastav shrivastava shrivastav srivastva shrivastva
  agarwal agrawal agarwala agerwal
  iyer aiyar aiyer
  iyengar ayyangar
  nair nayar
  naidu nayudu
  tiwari tewari
  pandey pande panday pandeya
  dubey dube
  dwivedi dubedi
  mishra misra mishr
  mukherjee mukerjee mukharjee mukhopadhyay
  banerjee bandyopadhyay bandopadhyay
  chatterjee chattopadhyay
  ganguly gangopadhyay
  bhattacharya bhattacharjee
  chakraborty chakrabarti chakravarty
  dutta datta dutt
  majumdar mazumdar majumder mazumder
  mandal mondal
  sarkar sircar sarker
  jaiswal jayaswal
  verma varma
  sharma sarma
  goyal goel goyel
  shah sha
  rathore rathor
  chauhan chohan chavhan
  pawar powar
  dsouza desouza dsoza
  fernandes fernandez
  rodrigues rodriguez
  mudaliar mudhaliar
  rao row
  singh sing sinh
  jai jay
  shiva siva shiv
  shekhar shekar sekhar sekar
  venkatesh venkatesha venkates
  venkateshwara venkateswara venkateshwar venkateswar
  subramaniam subramanian subrahmanyam subramanya
  balasubramaniam balasubramanian balasubrahmanyam
  srinivas shrinivas srinivasa
  siddharth siddhartha siddarth
  ashok ashoka asok asoka
  narayan narayana narain
  rekha reka
  raghu ragu
  jyoti jothi
  arti arati
  amrita amruta
  prithvi pruthvi
  tripti trupti
  smriti smruti
  hrithik hruthik ritik
  mrinal mrunal
  mrinalini mrunalini
  srishti srushti shrishti shristi
  shreya shriya sreya
  chandra chander chandar
  surendra surinder surender surendar
  narendra narinder narender narendar
  rajendra rajinder rajender rajendar
  ravindra ravinder ravindar
  mahendra mahinder mahender mohinder mahindra
  virendra virender
  devendra devinder devender davinder
  jitendra jitender
  satyendra satyender
  dharmendra dharminder dharmender
  bhupendra bhupinder bhupender
  gyaneshwar dnyaneshwar jnaneshwar
  mathew mathews
  sundar sunder soundar
  shankar sankar shanker sanker
  yashwant yeshwant
  parvez pervez parvaiz parvej
  javed javaid jaweed
  philip philips
  catherine katherine
`
  .trim()
  .split('\n')
  .map(wordList);

function apply(rules: Rules, word: string): string {
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), word);
}

export function respell(word: string): string {
  return isLatin(word) && word.length >= SHORTEST_RESPELT ? apply(SPELLING_RULES, word) : word;
}

/** Each listed spelling and its normal form, mapped to the first spelling of its line. */
const LISTED: ReadonlyMap<string, string> = new Map(
  SPELLING_GROUPS.flatMap((group) =>
    group.flatMap((word) => [word, respell(word)].map((form) => [form, group[0] ?? word] as const)),
  ),
);

const listed = (word: string): string | undefined => LISTED.get(word) ?? LISTED.get(respell(word));

/** A key that is equal for usual spellings of one name: Pooja and Puja, Md and Mohammed. */
export function spellingOf(word: string): string {
  return respell(listed(word) ?? word);
}

/** The same by the wider rules; null for a word that is too short for them, or not in Latin letters. */
export function looseSpellingOf(word: string): string | null {
  if (word.length < SHORTEST_LOOSELY_RESPELT || !isLatin(word)) return null;
  return apply(LOOSE_SPELLING_RULES, spellingOf(word));
}

/** Shorter words that differ by one letter are usually different names: Sunita and Sumita, Rajesh and Rakesh. */
const SHORTEST_MISTYPED = 8;

/** Endings of different names that differ by one letter: Harvinder and Harjinder, Rajeshwar and Rakeshwar. */
const LOOKALIKE_ENDINGS = /(?:ind[ea]r|endra|endar|ender|eshw?ar|eshwari|eet|eep)$/;

const VOWELS = 'aeiou';
const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

function areNeighbours(x: string, y: string): boolean {
  return KEY_ROWS.some((row) => row.includes(x + y) || row.includes(y + x));
}

/** Whether two letters are easily confused: neighbours on the keyboard, or both vowels. */
function isSlip(x: string, y: string): boolean {
  return (VOWELS.includes(x) && VOWELS.includes(y)) || areNeighbours(x, y);
}

/**
 * Whether two long words differ by one typing error inside: two letters swapped, one omitted or doubled, or one replaced
 * by {@link isSlip}. First and last letter must be equal, because the last one distinguishes Krishna from Krishnan and
 * Priyank from Priyanka. Symmetric, linear time.
 */
export function isTypingError(x: string, y: string): boolean {
  if (Math.min(x.length, y.length) < SHORTEST_MISTYPED || Math.abs(x.length - y.length) > 1) return false;
  if (x === y || x[0] !== y[0] || x.at(-1) !== y.at(-1)) return false;
  if (!isLatin(x) || !isLatin(y)) return false;
  if (LOOKALIKE_ENDINGS.test(x) && LOOKALIKE_ENDINGS.test(y)) return false;
  return x.length < y.length ? isOneSlip(x, y) : isOneSlip(y, x);
}

function isOneSlip(shorter: string, longer: string): boolean {
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start += 1;
  let end = 0;
  while (end < shorter.length - start && shorter.at(-1 - end) === longer.at(-1 - end)) end += 1;
  const left = shorter.slice(start, shorter.length - end);
  const right = longer.slice(start, longer.length - end);
  if (left === '') return right.length === 1;
  if (left.length === 1) return right.length === 1 && isSlip(left, right);
  return left.length === 2 && left === `${right[1]}${right[0]}`;
}
