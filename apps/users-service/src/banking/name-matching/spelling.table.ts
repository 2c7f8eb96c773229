/** Fewest letters in both words for the rules below; shorter words hold too little to be altered (Ray, Rai). */
export const SHORTEST_RESPELT = 4;
/** The same for the wider rules: Dhar and Dar, Shah and Sah, Isha and Isa are different names. */
export const SHORTEST_LOOSELY_RESPELT = 5;

/** Regular ways to write one sound, in the order in which they are applied. */
export const SPELLING_RULES: readonly (readonly [RegExp, string])[] = [
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
 * Wider ones, on top of those: aspirates, s and sh, z and j, a silent h at the end, and an inner `a` that northern
 * speech drops (Ramakrishnan, Ramkrishnan).
 */
export const LOOSE_SPELLING_RULES: readonly (readonly [RegExp, string])[] = [
  [/([dbkgj])h/g, '$1'],
  [/sh/g, 's'],
  [/z/g, 'j'],
  [/ah$/, 'a'],
  [/(?<=[aeiou][^aeiou]{1,2})a(?=[^aeiou]+[aeiou])/g, ''],
  [/(.)\1+/g, '$1'],
];

/** Spellings of one name that no rule finds, a line each. A word stands in one line only. */
export const SPELLING_GROUPS: readonly (readonly string[])[] = `
  mohammed mohammad mohamed mohamad muhammad muhammed mohd mohamd muhamed mhd md
  ahmed ahmad ahamed ahemad ahammed
  hussain husain hussein hossain husen
  sheikh shaikh shaik sheik shekh sk
  syed sayed sayyed sayyad saiyad saiyed
  rahman rehman rahaman
  siddiqui siddiqi siddique siddiquee sidiki
  ayesha aisha aysha ayisha
  fatima fathima fatema fatma
  yusuf yousuf yousaf yusaf
  usman osman uthman
  umar omar umer
  ibrahim ebrahim
  ismail esmail
  sohail suhail
  khadija khatija khadeeja
  begum begam
  krishna krishan krushna
  lakshmi laxmi lakshmy luxmi
  lakshman laxman luxman
  chaudhary chaudhuri chowdhury choudhary choudhury chowdary chaudhry chaudhari choudhari choudhry chowdhary
  srivastava srivastav shrivastava shrivastav sriwastava srivastva shrivastva
  agarwal agrawal aggarwal agarwala agerwal
  iyer aiyar ayyar aiyer iyyer
  iyengar ayyangar iyyengar aiyangar
  nair nayar nayyar
  naidu nayudu
  tiwari tewari tiwary
  pandey pande panday pandeya
  dubey dube
  dwivedi dvivedi dubedi
  mishra misra mishr
  mukherjee mukherji mukerjee mukharjee mukhopadhyay mookerjee
  banerjee banerji bannerjee bandyopadhyay bandopadhyay
  chatterjee chatterji chattopadhyay
  ganguly gangulee gangopadhyay
  bhattacharya bhattacharjee bhattacharyya
  chakraborty chakrabarti chakravarty chakravarti chakravarthy
  dutta datta dutt
  majumdar mazumdar majumder mazumder
  mandal mondal
  sarkar sircar sarker
  sahoo sahu
  jaiswal jayaswal jayswal
  verma varma
  sharma sarma
  goyal goel goyel
  shah sha
  rathore rathor
  chauhan chouhan chohan chavhan
  pawar powar
  dsouza desouza dsoza
  fernandes fernandez
  rodrigues rodriguez
  pillai pillay
  mudaliar mudhaliar mudaliyar
  rao row
  singh sing sinh
  das dass
  ram raam
  jai jay
  shiva siva shiv
  shekhar shekar sekhar sekar
  venkatesh venkatesha venkates
  venkateshwara venkateswara venkateshwar venkateswar
  subramaniam subramanian subramanyam subrahmanyam subramaniyam subramanya
  balasubramaniam balasubramanian balasubramanyam balasubrahmanyam
  srinivas shrinivas sreenivas srinivasa
  siddharth siddhartha sidharth sidhartha siddarth siddhart
  ashok ashoka asok asoka
  narayan narayana narain
  sita seeta seetha sitha
  gita geeta geetha githa
  lata latha
  rekha reka
  raghu ragu
  jyoti jyothi jothi joti
  arti aarti aarthi arati aarati arathi
  amrita amruta amritha amrutha
  prithvi pruthvi prithwi
  tripti trupti
  smriti smruti smrithi
  hrithik hruthik ritik hritik rithik
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
  virendra virender veerender
  devendra devinder devender davinder
  jitendra jitender jeetender
  satyendra satyender
  dharmendra dharminder dharmender
  bhupendra bhupinder bhupender
  gyaneshwar dnyaneshwar jnaneshwar
  mathew matthew mathews
  sundar sunder soundar
  shankar sankar shanker sanker
  yashwant yeshwant yashwanth yeshwanth
  parvez pervez parvaiz parvej
  javed javaid jawed jaweed
  philip phillip philips
  catherine katherine
`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
