export { ApiClient, type CallOptions, type Method } from './api-client.js';
export { DocumentedAnswers, type SeenAnswer } from './documented-answers.js';
export { eventually } from './eventually.js';
export { type LoadPlan, type LoadReport, putLoadOn } from './put-load-on.js';
export { expectRefusal, expectUnusable } from './expect-refusal.js';
export { RawConnection, rawExchange } from './raw-exchange.js';
export { startTestApp, type TestApp } from './test-app.js';
export { TcpProxy } from './tcp-proxy.js';
export { createTestDatabase, type TestDatabase, testRedis } from './test-stores.config.js';
