import type { Issuer } from '../../config/index.js';

/** Registers with an issuer what a user gave before choosing one. A domain above the journey implements it. */
export interface IssuerRegistrations {
  registerAt(issuer: Issuer, userId: string): Promise<void>;
}

export const ISSUER_REGISTRATIONS = Symbol('registrations at a chosen issuer');
