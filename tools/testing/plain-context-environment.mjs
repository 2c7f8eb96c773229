// Jest environment: Jest's own for Node.js, but its global object is that of a plain context. Jest's is a Proxy, which is asked
// whenever code names a global such as Promise or Buffer: a sixth of the processor time of all tests.
import { constants, createContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** Shared with Node.js, whose functions return and expect instances of them. */
const SHARED = ['Buffer', 'ArrayBuffer', 'Uint8Array'];

/** Reading them prints a warning if Node.js got no file for them. */
const STORAGES = ['localStorage', 'sessionStorage'];

export default class PlainContextEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { global: jestGlobal } = this;
    const global = createContext(constants.DONT_CONTEXTIFY);
    for (const key of Reflect.ownKeys(jestGlobal)) {
      if (STORAGES.includes(key) || (key in global && !SHARED.includes(key))) continue;
      const { enumerable } = Object.getOwnPropertyDescriptor(jestGlobal, key);
      Object.defineProperty(global, key, {
        value: jestGlobal[key],
        configurable: true,
        enumerable,
        writable: true,
      });
    }
    global.global = global;
    this.context = this.global = global;
    // these two create functions and timers of the global object that they get
    this.moduleMocker = new this.moduleMocker.constructor(global);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global });
  }
}
