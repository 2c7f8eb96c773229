/**
 * Surnames that are hardly ever given names. They tell which end of a name the surname is at (Patil Suresh Ramesh),
 * and that an agreement on them alone says nothing about the person. Names that are both, such as Thomas or
 * Krishnan, are left out on purpose. Other spellings are found through the spelling rules.
 */
export const SURNAMES: readonly string[] = `
  acharya agarwal ahluwalia aiyar ambani ansari apte arora bhosale bagchi bajaj bakshi banerjee bansal barua basu
  bedi  bhandari bhat bhatia bhatnagar bhattacharya birla biswas bisht bora  bose chakraborty chatterjee
  chaturvedi chaudhary chauhan chavan chawla chettiar chetty chopra dalal das dasgupta datta deshmukh deshpande
  desai dey dhawan dhillon dixit dogra dsouza dubey dutta dwivedi fernandes gaikwad gandhi ganguly ghosh gill goel
  gokhale gowda  grewal gujral gulati gupta hegde ingle iyengar iyer jadhav jain jaiswal jha jindal joshi
  kadam kale kamath kapadia kapoor kaul kaur kelkar khan khanna khatri kohli kothari kulkarni kulshreshtha lobo
  mahajan mahapatra majumdar malhotra  mandal marwah mathur mehra mehrotra mehta menon mhatre mishra mistry
  mitra modi mohanty mudaliar mukherjee  nadar naidu naik nair nambiar namboodiri nanda narang nayak negi
  oberoi ojha padhi pai panda pandey pandit panicker parekh parikh parmar patel pathak pathan patil patnaik patra
  pawar pereira pillai poojary  puri qureshi raghuvanshi rai rajput   rao rastogi rathod rathore
  rawat ray reddy rodrigues roy  sahu saha salvi samant sandhu sane sarkar sarma sawant saxena sen sengupta
  sethi sethna shah sharma shenoy shetty shinde shukla sidhu singh singhal sinha sodhi solanki sonawane 
  srivastava   swain talwar tambe tandon tendulkar thakkar thakur thapar tiwari trivedi tyagi upadhyay
  vaidya  varma vaswani vaz verma vohra vyas wadhwa wagh walia warrier yadav zaveri
`
  .trim()
  .split(/\s+/);

/** Words so common in second place that they do not distinguish people. */
export const COMMON_SECOND_NAMES: readonly string[] = [
  'bai',
  'bano',
  'banu',
  'begum',
  'bibi',
  'devi',
  'kaur',
  'khatun',
  'kumar',
  'kumari',
  'lal',
  'singh',
];

/** First words that are borne by whole families or communities and are often left out. */
export const NAME_PREFIXES: readonly string[] = ['mohammed', 'syed', 'sheikh'];
