import type { Message } from '../shell/sandbox-api.js';
import { arrivalText, isWholeAddress, messagesTo } from './messages.js';

const aMessage = (to: string, code: string | null = null): Message => ({
  ...{ id: to, to, code, channel: 'sms', text: 'text', sent_at: '2026-11-21T12:00:00.000+05:30' },
});

describe('messages of the inbox', () => {
  it.each([
    ['919999900001', true],
    ['+91 99999 00001', true],
    ['9999900001', true],
    ['asha@example.com', true],
    ['99999', false],
    ['asha', false],
    ['', false],
  ])('recognises %j as a complete address: %j', (text, isWhole) => {
    expect(isWholeAddress(text)).toBe(isWhole);
  });

  it('finds part of an address, however it is written', () => {
    const messages = [aMessage('919999900001'), aMessage('Asha.Rao@example.com')];
    const found = (search: string): string[] => messagesTo(messages, search).map(({ to }) => to);
    expect(found('+91 99999')).toEqual(['919999900001']);
    expect(found('asha')).toEqual(['Asha.Rao@example.com']);
    expect(found('')).toHaveLength(2);
  });

  it('announces a message with its code, digit by digit', () => {
    const readable = (address: string): string => `to ${address}`;
    expect(arrivalText([aMessage('1', '123456')], readable)).toBe('New message to to 1, code 1 2 3 4 5 6');
    expect(arrivalText([aMessage('1'), aMessage('2')], readable)).toBe('2 new messages');
    expect(arrivalText([], readable)).toBe('');
  });
});
