import type { Request, Response } from 'express';
import { currentRequestId, currentUserId, noteCurrentUser, openRequestStore } from './request-context.js';

const within = <T>(id: string, look: () => T): T => {
  let seen: T | undefined;
  openRequestStore({} as Request, { getHeader: () => id } as unknown as Response, () => {
    seen = look();
  });
  return seen!;
};

describe('openRequestStore', () => {
  it('keeps the request id within the request', () => {
    expect(within('gateway-1.2_3', currentRequestId)).toBe('gateway-1.2_3');
  });

  it('keeps the user of one request apart from other requests', () => {
    within('request-1', () => {
      noteCurrentUser('user-1');
      expect([currentRequestId(), currentUserId()]).toEqual(['request-1', 'user-1']);
    });
    within('request-2', () => expect(currentUserId()).toBeUndefined());
  });

  it('returns no request id outside of a request', () => {
    expect(currentRequestId()).toBeUndefined();
  });
});
