import { CallsOfUsers } from './calls-of-users.js';

describe('calls of a user', () => {
  it('limits the calls of each user in the 24 hours from the first one', () => {
    const calls = new CallsOfUsers(3);
    for (let i = 0; i < 2; i++) calls.count('a', 1_000);
    expect(calls.secondsUntilNext('a', 1_000)).toBe(0);
    calls.count('a', 1_000);
    expect([calls.secondsUntilNext('a', 61_000), calls.secondsUntilNext('b', 61_000)]).toEqual([86_340, 0]);
    expect(calls.secondsUntilNext('a', 86_401_000)).toBe(0);
    calls.count('a', 86_401_000);
    expect(calls.secondsUntilNext('a', 86_402_000)).toBe(0);
  });

  it('forgets the oldest of more than 10,000 users', () => {
    const calls = new CallsOfUsers(1);
    calls.count('first', 0);
    for (let i = 0; i < 9_999; i++) calls.count(`user ${i}`, 0);
    expect(calls.secondsUntilNext('first', 0)).toBe(86_400);
    calls.count('one more', 0);
    expect(calls.secondsUntilNext('first', 0)).toBe(0);
  });
});
