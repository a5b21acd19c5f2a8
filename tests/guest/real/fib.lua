-- Recursion and integer arithmetic: Fibonacci numbers, and 64-bit products and quotients.
local function fib(n)
    if n < 2 then
        return n
    end
    return fib(n - 1) + fib(n - 2)
end
for n = 0, 20, 5 do
    print(n, fib(n))
end
local product = 1
for n = 1, 20 do
    product = product * n
end
print(product, product // 1234567, product % 1234567, -product // 987654321987, -product % 987654321987)
