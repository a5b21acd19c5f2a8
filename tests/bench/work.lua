-- What Lua does in the benchmark: calls, strings, tables, sorting, floating point.
local function fib(n)
    if n < 2 then
        return n
    end
    return fib(n - 1) + fib(n - 2)
end
local state, words = 1, {}
for i = 1, 6000 do
    state = (state * 1103515245 + 12345) % 2147483648
    words[i] = ("%08x"):format(state)
end
table.sort(words)
local text = table.concat(words, " ")
local sum = 0
for word in text:gmatch("%x+") do
    sum = sum + tonumber(word, 16) / 3
end
print(fib(25), #text, ("%.6f"):format(sum))
