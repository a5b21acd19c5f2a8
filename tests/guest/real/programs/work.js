var s = 0, a = []; for (var i = 0; i < 10000; i++) { a[i % 1000] = (a[i % 1000] || 0) + i; s = (s * 31 + i) % 65521; }
function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } var o = {}; for (var i = 0; i < 1000; i++) o["k" + i % 97] = i + f(8); print(s, f(14), o.k5, a.sort(function (x, y) { return x - y })[500]);
