export { ApiClient, type CallOptions, type Method } from './api-client.js';
export { DocumentedAnswers, type SeenAnswer } from './documented-answers.js';
export { eventually } from './eventually.js';
export { expectRefusal, expectUnusable } from './expect-refusal.js';
export { RedisCluster, RedisServer } from './redis-server.config.js';
export { startTestApp, type TestApp } from './test-app.js';
export { TcpProxy } from './tcp-proxy.js';
export { createTestDatabase, type TestDatabase, testRedis } from './test-stores.config.js';
