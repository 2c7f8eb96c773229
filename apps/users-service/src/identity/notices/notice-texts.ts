export type NoticeKind =
  | 'EMAIL_CHANGED'
  | 'EMAIL_MOVED'
  | 'NOMINEES_CHANGED'
  | 'PAN_CLAIMED'
  | 'PAN_NOT_GAINED'
  | 'PAN_LOST'
  | 'PAN_GAINED'
  | 'PHONE_REUSED';

interface NoticeText {
  readonly subject: string;
  readonly text: string;
  /** Instead of NOT_YOU. */
  readonly whatToDo?: string;
}

/** Changes of an account that its owner is told by mail: someone else may have made them. */
export const NOTICE_TEXTS: Readonly<Record<NoticeKind, NoticeText>> = {
  EMAIL_CHANGED: {
    subject: 'The email address of your deposit account was changed',
    text: 'Another email address was verified for your fixed deposit account and replaces this one.',
  },
  EMAIL_MOVED: {
    subject: 'Your email address was moved to another deposit account',
    text: 'This email address was verified in another fixed deposit account, whose eKYC has proved the PAN that your account had. It is the address of that account now, and no longer of yours.',
  },
  NOMINEES_CHANGED: {
    subject: 'The nominees of your deposit account were changed',
    text: 'A nominee of your fixed deposit account was added, changed or removed.',
  },
  PAN_LOST: {
    subject: 'The PAN of your deposit account was moved',
    text: 'Somebody else has completed an eKYC with the PAN of your fixed deposit account, so it moved to their account.',
  },
  PAN_CLAIMED: {
    subject: 'Somebody has claimed the PAN of your deposit account',
    text: 'Somebody else has completed an eKYC with the PAN of your fixed deposit account. It stays in your account, unless our support finds that it is theirs.',
  },
  PAN_NOT_GAINED: {
    subject: 'Your PAN is in another deposit account',
    text: 'You have completed an eKYC with a PAN that another fixed deposit account has. It stays there, unless our support finds within 30 days that it is yours.',
    whatToDo:
      'If the PAN is yours, contact our support, who decides. If you have not completed an eKYC, tell them that, too.',
  },
  PHONE_REUSED: {
    subject: 'The phone number of your deposit account was used for a new one',
    text: 'Nobody had logged into your fixed deposit account for a long time. A new account was opened with its phone number. It does not show your data.',
    whatToDo:
      'If this was you, you need not do anything. Otherwise log in with your current number. If your old account had your PAN, verify it there and complete an eKYC: the PAN moves to your new account. Our support helps with the rest.',
  },
  PAN_GAINED: {
    subject: 'Your PAN was moved to your deposit account',
    text: 'Your eKYC has moved your PAN from another fixed deposit account to yours. If you completed an eKYC of a link that somebody had sent you, that account was theirs.',
  },
};

/** What to do if a notice says nothing else. */
export const NOT_YOU =
  'If this was you, you need not do anything. Otherwise log in, end the sessions that you do not know, and contact our support.';
