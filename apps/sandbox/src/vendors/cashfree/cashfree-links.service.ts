import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../http/bounded-map.js';
import type { EkycRequest } from '../../providers/ekyc/ekyc-request.js';

/** A verification form of Cashfree for a person. */
export interface CashfreeLink {
  readonly reference_id: number;
  /** Reference of its Aadhaar. */
  readonly aadhaar_id: number;
  readonly phone: string;
  /** YYYY-MM-DD */
  readonly link_expiry: string;
  readonly request: EkycRequest;
}

/** Cashfree's KYC links, by reference of the caller, of Cashfree, or of the Aadhaar. */
@Injectable()
export class CashfreeLinks {
  private readonly links = new BoundedMap<string, CashfreeLink>();
  private lastReference = 235_000;

  has(verificationId: string): boolean {
    return this.links.has(`verification ${verificationId}`);
  }

  add(given: Omit<CashfreeLink, 'reference_id' | 'aadhaar_id'>): CashfreeLink {
    const link = { ...given, reference_id: ++this.lastReference, aadhaar_id: ++this.lastReference };
    this.links.set(`verification ${link.request.reference}`, link);
    this.links.set(`reference ${link.reference_id}`, link);
    this.links.set(`aadhaar ${link.aadhaar_id}`, link);
    return link;
  }

  findBy(by: 'verification' | 'reference' | 'aadhaar', id: string): CashfreeLink | undefined {
    return this.links.get(`${by} ${id}`);
  }
}
