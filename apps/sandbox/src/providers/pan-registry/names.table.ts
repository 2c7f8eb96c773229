/** Names for generated persons. A PAN's fifth letter is the first one of its holder's surname. */
export const SURNAMES: Readonly<Record<string, readonly string[]>> = {
  A: ['AGARWAL', 'ACHARYA', 'AHMED', 'ANAND'],
  B: ['BANERJEE', 'BHAT', 'BEDI', 'BORA'],
  C: ['CHATTERJEE', 'CHAUHAN', 'CHOPRA', 'CHETTIAR'],
  D: ['DAS', 'DESAI', 'DESHMUKH', 'DSOUZA'],
  E: ['EAPEN', 'EASWARAN', 'EDWIN', 'EKKA'],
  F: ['FERNANDES', 'FARUQUI', 'FRANCIS', 'FULZELE'],
  G: ['GUPTA', 'GHOSH', 'GOWDA', 'GILL'],
  H: ['HEGDE', 'HUSSAIN', 'HAZARIKA', 'HANSDA'],
  I: ['IYER', 'IYENGAR', 'INAMDAR', 'ISMAIL'],
  J: ['JOSHI', 'JAIN', 'JADHAV', 'JOSEPH'],
  K: ['KAPOOR', 'KULKARNI', 'KHAN', 'KRISHNAN'],
  L: ['LAHIRI', 'LAMBA', 'LODHA', 'LOKHANDE'],
  M: ['MEHTA', 'MISHRA', 'MENON', 'MUKHERJEE'],
  N: ['NAIR', 'NAIK', 'NAGARAJAN', 'NEGI'],
  O: ['OJHA', 'OBEROI', 'OOMMEN', 'OSWAL'],
  P: ['PATEL', 'PILLAI', 'PANDEY', 'PATIL'],
  Q: ['QURESHI', 'QADRI', 'QUADROS', 'QAZI'],
  R: ['RAO', 'REDDY', 'RATHORE', 'ROY'],
  S: ['SHARMA', 'SINGH', 'SEN', 'SUBRAMANIAN'],
  T: ['TIWARI', 'THAKUR', 'TOMAR', 'THOMAS'],
  U: ['UPADHYAY', 'UNNIKRISHNAN', 'UPPAL', 'UTHAPPA'],
  V: ['VERMA', 'VARGHESE', 'VYAS', 'VENKATESAN'],
  W: ['WADHWA', 'WAGLE', 'WALIA', 'WAGHMARE'],
  X: ['XAVIER', 'XALXO', 'XESS'],
  Y: ['YADAV', 'YELAMANCHILI', 'YOGI', 'YUSUF'],
  Z: ['ZAVERI', 'ZAIDI', 'ZACHARIAH', 'ZUTSHI'],
};

/** First names with their middle names; null for people without one. */
export const GIVEN_NAMES = [
  {
    first: ['ASHA', 'PRIYA', 'MEERA', 'KAVITA', 'LAKSHMI', 'NEHA', 'FATIMA', 'DIVYA', 'ANJALI', 'SUNITA'],
    middle: ['KUMARI', 'DEVI', 'RANI', 'BAI', null, null],
  },
  {
    first: ['AMIT', 'RAHUL', 'VIKRAM', 'ARJUN', 'SURESH', 'IMRAN', 'KARTHIK', 'ROHAN', 'SANJAY', 'NIKHIL'],
    middle: ['KUMAR', 'PRASAD', 'CHANDRA', 'MOHAN', null, null],
  },
] as const;

export const FATHERS = [
  'RAMESH',
  'MOHAN',
  'GOPAL',
  'RAJENDRA',
  'ANIL',
  'PRAKASH',
  'MAHESH',
  'DINESH',
] as const;
