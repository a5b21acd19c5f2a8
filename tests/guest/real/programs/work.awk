BEGIN { for (i = 0; i < 4000; i++) { k = "k" (i * 7919 % 1009); n[k] += i; s = s substr(k, 2, 1); if (length(s) > 200) s = "" } for (k in n) t += n[k] % 97; print t, s }
