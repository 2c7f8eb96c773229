// append-only: a released migration is never edited
export * from './migrations/1764371000000-create-core.js';
export * from './migrations/1764372000000-create-audit-trail.js';
export * from './migrations/1764373000000-create-identity.js';
export * from './migrations/1764374000000-create-journey.js';
export * from './migrations/1764375000000-create-kyc.js';
export * from './migrations/1764376000000-create-banking.js';
export * from './migrations/1764377000000-create-application.js';
export * from './migrations/1764379000000-compare-requests-by-parts.js';
export * from './migrations/1764381000000-keep-keys-in-use.js';
export * from './migrations/1764382000000-bound-keys-in-use.js';
export * from './migrations/1764383000000-publish-views.js';
export * from './migrations/1764384000000-find-withdrawals.js';
export * from './migrations/1764385000000-prove-fact-sheets.js';
export * from './migrations/1764386000000-create-mail-notices.js';
export * from './migrations/1764387000000-confirm-dormant-accounts.js';
export * from './migrations/1764388000000-bind-ekycs.js';
export * from './migrations/1764389000000-separate-partners.js';
